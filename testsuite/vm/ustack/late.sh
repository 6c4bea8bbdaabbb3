# SPDX-License-Identifier: GPL-2.0-or-later
# Without a target: programs that start while the script runs, and what they load, have whole stacks from almost the first one on.
#: long: many rounds beside load
#: scripts: _late.stp
#: script-args: "$BIN/unwind_program"
#: stap: -DMAXSTRINGLEN=8000
#: timeout: 300
#: records: also
"$STAPRUN" --ledger ledger.json _late.ko >out 2>err &
staprun=$!
eventually 60 grep -q ^ready out
for i in 1 2 3 4 5; do
    cp "$BIN/unwind_program" late$i
    timeout 3 ./late$i spin plugin || :
done
"$BIN/unwind_program" calls
kill -INT $staprun
wait $staprun || fail "$(cat err)"
cat out err
sed -n 's/.*"user_stacks": \(.*\),$/\1/p' ledger.json
count() { sed -n "s/.*\"user_stacks\": {.*\"$1\": \([0-9]*\).*/\1/p" ledger.json; }
for what in samples hits; do
    read -r _ all _ whole <<<"$(grep ^$what out)"
    [ "$all" -ge $((200 / PATIENCE)) ] || fail "only $all $what"
    # Some samples are of the dynamic linker, which begins by itself.
    [ $((whole * 100)) -ge $((all * 94)) ] || fail "$whole of $all $what"
done
# The programs run for three seconds of a machine that may be busy.
read -r _ early _ <<<"$(grep ^early out)"
[ $((early * 2)) -le $(count complete) ] || fail "$early samples before the first whole stack"
[ $(($(count no_table) * 2)) -le $(count complete) ] || fail "$(count no_table) without a table"
