# SPDX-License-Identifier: GPL-2.0-or-later
# Waits at memory.high and reads from swap, against memory.events and /proc/vmstat.
#: scripts: _memory_high.stp
#: requires: program mkswap swapon
mkdir /run/cgroup
mount -t cgroup2 none /run/cgroup
echo +memory >/run/cgroup/cgroup.subtree_control
mkdir /run/cgroup/small
echo 8M >/run/cgroup/small/memory.high
truncate -s 128M /run/swap
modprobe loop 2>/dev/null || :
loop=$(losetup -f --show /run/swap)
mkswap "$loop" >/dev/null
swapon "$loop"
"$STAPRUN" _memory_high.ko >out &
staprun=$!
eventually 30 grep -q ready out
eventually 30 is_armed _memory_high
before=$(awk '$1 == "pswpin" { print $2 }' /proc/vmstat)
# tail keeps a line without an end in memory, and reads it again to write it.
timeout 60 bash -c 'echo $$ >/run/cgroup/small/cgroup.procs; head -c 24M /dev/zero | tail -c 24M | wc -c' || :
kill -INT $staprun
wait $staprun
swapoff "$loop"
losetup -d "$loop"
cat out /run/cgroup/small/memory.events
set -- $(sed -n 's/^high //p' out)
[ "$1" -gt 0 ] && [ "$1" = "$2" ] || fail "$1 waits began and $2 ended"
[ "$(awk '$1 == "high" { print $2 }' /run/cgroup/small/memory.events)" -gt 0 ] || fail 'the group was never above its limit'
is_equal 'odd ones' "$4" 0
swapped=$(($(awk '$1 == "pswpin" { print $2 }' /proc/vmstat) - before))
is_equal 'reads from swap' "$6" "$((swapped > 0))"
rmdir /run/cgroup/small
umount /run/cgroup
rmdir /run/cgroup
