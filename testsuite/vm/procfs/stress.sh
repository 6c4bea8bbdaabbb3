# SPDX-License-Identifier: GPL-2.0-or-later
# Many open files at once, in pieces of any size, by several programs, and a session that ends below them.
#: long: many rounds beside load
#: scripts: _stress.stp
#: host: cc -O2 -static -o stress "$AREA/_stress.c"
#: timeout: 120
#: records: also
"$STAPRUN" _stress.ko >out 2>err &
pid=$!
eventually 20 grep -q ready out
there() { ls /proc/systemtap/*/large >/dev/null 2>&1; }
eventually 10 there
dir=$(echo /proc/systemtap/*)
is_equal 'modes' "$(stat -c '%a' "$dir"/{command,large} | tr '\n' ' ')" '622 666 '
is_equal 'without a path' "$(cat "$dir/command")" 0
for i in 1 2 3; do ./stress "$dir/large" 3 >"bad$i" & programs[i]=$!; done
for i in 1 2 3; do wait "${programs[i]}"; done
cat err
is_equal 'readings that were wrong' "$(cat bad1 bad2 bad3 | tr '\n' ' ')" '0 0 0 '
echo hello >"$dir/command"
# The session ends while programs read and write.
for i in 1 2 3; do ./stress "$dir/large" 1000 >/dev/null & programs[i]=$!; done
sleep 1
kill -INT $pid
wait $pid
kill "${programs[@]}" 2>/dev/null || :
for i in 1 2 3; do wait "${programs[i]}" || :; done
cat out err
[ ! -e /proc/systemtap ] || fail '/proc/systemtap is left'
is_equal 'errors' "$(grep -v '^cut to MAXSTRINGLEN (512): [0-9]* strings; ' err)" ''
grep -Eq '^[0-9]+ reads, [0-9]+ writes, 6 bytes, 0 wrong$' out || fail 'what was read and written'
