# SPDX-License-Identifier: GPL-2.0-or-later
# A stripped program of the system, in a system call: its user stack is GDB's, from the first hit on.
#: scripts: _joined.stp
#: requires: program gdb
#: timeout: 120
. "$AREA/_gdb.sh"
"$STAPRUN" -c "/usr/bin/sleep 5000" _joined.ko >out 2>err &
staprun=$!
eventually 30 grep -q ^done out
expected=$(gdb_stacks "$(pgrep -x sleep)" | cut -d ' ' -f 3-)
[ -n "$expected" ] || { cat gdb.log; fail 'no stack of GDB'; }
pkill -x sleep
wait $staprun || :
cat out err
is_equal 'user stack' "$(sed -n 's/^user \(.*[^ ]\) *$/\1/p' out)" "$expected"
# With indirect branch tracking an instruction for it comes first.
grep -q '^kernel hrtimer_nanosleep+0x[04] \[kernel\]$' out || fail 'kernel stack'
grep -Eq 'clock_nanosleep.* \[/.*libc\.so\.6\]$' out || fail 'name in the C library'
# The program itself is stripped: the offsets are addresses in its file.
main=$(sed -n 's,^ 0x[0-9a-f]* \[/usr/bin/sleep+0x\([0-9a-f]*\)\]$,\1,p' out | head -n 1)
[ -n "$main" ] || fail 'code without names'
objdump -d --start-address=$((0x$main - 5)) --stop-address=$((0x$main)) /usr/bin/sleep | grep -q call || fail "no call before $main"
grep -q 'user stacks' err && fail 'incomplete' || :
