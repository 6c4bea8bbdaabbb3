# SPDX-License-Identifier: GPL-2.0-or-later
# Settings of the kernel are variables, and every write to one is a hit.
#: scripts: _sysctl.stp
#: host: cc -O2 -static -o writer "$AREA/_writer.c"
#: host: cc -O2 -static -o repeat "$AREA/../kmod/_repeat.c"
#: host: cp writer first
#: requires: file /proc/sys/vm/dirty_ratio
"$STAPRUN" _sysctl.ko >out &
pid=$!
eventually 20 is_armed _sysctl
ratio=$(cat /proc/sys/vm/dirty_ratio) background=$(cat /proc/sys/vm/dirty_background_ratio) panic=$(cat /proc/sys/kernel/panic)
./writer /proc/sys/vm/dirty_ratio 37 25
is_equal 'what was written' "$(cat /proc/sys/vm/dirty_ratio)" 37
./writer /proc/sys/vm/dirty_background_ratio 11 10
# The watch is not set yet.
./writer /proc/sys/kernel/panic "$panic" 3
./repeat 121 1
# The breakpoint is set a while after its condition holds.
watched() { ./first /proc/sys/kernel/panic "$panic" 1 && grep -q '^watched$' out; }
eventually 10 watched
./writer /proc/sys/kernel/panic "$panic" 4
./repeat 121 1
eventually 10 grep -q 'now 0' out
./writer /proc/sys/kernel/panic "$panic" 5
echo "$ratio" >/proc/sys/vm/dirty_ratio
echo "$background" >/proc/sys/vm/dirty_background_ratio
kill -INT $pid
wait $pid
read -r _ writes _ accesses _ conditional _ odd <<<"$(grep writes out | tr -d ,)"
cat out
# The last one set it back.
is_equal 'writes' "$writes" 26
is_equal 'writes that say something odd' "$odd" 1
[ "$accesses" -ge 10 ] || fail "$accesses accesses"
is_equal 'writes while the condition held' "$conditional" 4
grep -q '^by [a-z_]*proc[a-z_]*' out || fail 'the function that writes has no name'
