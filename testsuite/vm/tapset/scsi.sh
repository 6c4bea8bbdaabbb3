# SPDX-License-Identifier: GPL-2.0-or-later
# Commands to a simulated disk, counted and measured on their way, as the disk's counters have them.
#: long: a disk has to settle before it is counted
#: scripts: _scsi.stp
#: requires: point module("scsi_mod").trace("scsi_dispatch_cmd_start")
#: records: also
modprobe sd_mod
modprobe scsi_debug dev_size_mb=8 delay=0 || skip 'needs the module scsi_debug'
eventually 10 sh -c 'ls /sys/class/scsi_disk/*/device/block/*/dev'
disk=$(basename /sys/class/scsi_disk/*/device/block/*)
place=$(basename "$(readlink -f /sys/block/"$disk"/device)")
number=$(cat /sys/block/"$disk"/dev)
cat >work <<END
dd if=/dev/zero of=/dev/$disk bs=64k count=20 oflag=direct
dd if=/dev/$disk of=/dev/null bs=4k count=30 iflag=direct
echo 1 >/sys/block/$disk/device/rescan
echo offline >/sys/block/$disk/device/state
echo running >/sys/block/$disk/device/state
END
counters() { awk '{ print $1, $3 * 512, $5, $7 * 512 }' /sys/block/"$disk"/stat; }
# The kernel has a look at a new disk first.
settled() { before=$(counters); sleep 0.5; [ "$before" = "$(counters)" ]; }
eventually 20 settled
"$STAPRUN" _scsi.ko -c "sh -e $W/work 2>/dev/null" -o seen
set -- $before $(counters)
grep '^odd' seen >&2 && fail 'odd commands'
is_equal 'the end' "$(tail -1 seen)" all
value() { sed -n "s/^$place $1 //p" seen; }
is_equal 'commands that write' "$(value 'dispatched TO_DEVICE')" "$(($7 - $3))"
is_equal 'bytes written' "$(value 'bytes TO_DEVICE')" "$(($8 - $4)) $(($8 - $4))"
# The kernel reads on its own account as well when it looks at the disk again.
[ "$(value 'dispatched FROM_DEVICE')" -gt "$(($5 - $1))" ] && [ "$(($5 - $1))" -ge 30 ] || fail "read: $(value 'dispatched FROM_DEVICE'), $*"
is_equal 'done' "$(value 'done TO_DEVICE') $(value 'done FROM_DEVICE')" "$(value 'dispatched TO_DEVICE') $(value 'dispatched FROM_DEVICE')"
[ "$(sed -n "s/^$number entered //p" seen)" -ge $(($5 - $1 + $7 - $3)) ] || fail "entered: $(cat seen)"
grep -q "^$place executed$" seen || fail 'nothing executed'
grep -qx "state $place RUNNING to OFFLINE" seen && grep -qx "state $place OFFLINE to RUNNING" seen || fail "states: $(grep state seen)"
rmmod scsi_debug
