# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that are forked, execute and end while functions, system calls and their own lives are probed: each is counted, and
# afterwards no breakpoint is left in a process that lived through it, which ran before it as well.
#: long: thousands of processes
#: host: cc -O2 -g -o storm "$AREA/_storm.c"
#: host: "$STAP" -p4 -r "$R" -m storm "$AREA/_storm.stp" "$W/storm" >/dev/null
#: timeout: 400
n=${ROUNDS:-200}
lines=$(mktemp -u)
mkfifo $lines
./storm watch <$lines >watched & watcher=$!
exec 4>$lines
"$STAPRUN" --ledger ledger.json storm.ko -c "./storm $n; echo >&4; until grep -q . watched; do sleep 0.1; done" >out 2>err || { cat out err; fail 'staprun'; }
cat out err
is_equal 'standard error' "$(cat err)" ''
# Begun: a shell's child, which executes, the children, which execute. The one that ran already, too, and it ends later.
is_equal 'output' "$(cat out)" "failed 0
began $((2 * n + 2)) ended $((2 * n + 1)) threads 0
called $((2 * n + 1)) returned $((2 * n + 1)) right $((2 * n + 1))
system calls $((3 * (2 * n + 1))) results $((3 * (2 * n + 1)))"
grep -q '"balanced": true' ledger.json || fail 'the ledger does not add up'
! grep '"missed": [1-9]' ledger.json || fail 'missed'
echo >&4
wait $watcher
is_equal 'the one that lived through it' "$(cat watched)" "right probed
right clean"
