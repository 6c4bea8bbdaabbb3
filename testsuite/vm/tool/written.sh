# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on what writes to files wait for, against the journal's own counters and the kernel's trace of pauses.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in journal dirty; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: requires: program mkfs.ext4 losetup
#: timeout: 200
#: long: some six sessions
. "$AREA/_tools.sh"
modprobe loop 2>/dev/null || :
modprobe ext4 2>/dev/null || :
truncate -s 128M disk.img
loop=$(losetup -f --show disk.img)
mkfs.ext4 -q "$loop"
mkdir disk
mount "$loop" disk
transactions() { awk '/transactions/ { print $1; exit }' /proc/fs/jbd2/${loop#/dev/}-*/info; }
cp "$W/loads" writer
sync
sleep 0.5

before=$(transactions)
(cd disk && "$STAPRUN" "$W/journal.ko" --format=csv -c '../writer writes 12 5000 1') >out
after=$(transactions)
values out >rows
cat rows
is_equal 'commits' "$(grep "^${loop#/dev/}-" rows | cut -d , -f 2)" $((after - before))
[ $((after - before)) -ge 12 ] || fail "$((after - before)) commits of 12 writes"
is_equal 'waits for commits' "$(grep '^writer,' rows | cut -d , -f 3)" 12
quiet journal

# The kernel lets programs have few pages that are not written yet, and says by its own trace how long it stops them.
trace=/sys/kernel/tracing
[ -e $trace/trace ] || mount -t tracefs none $trace
echo 500000 >/proc/sys/vm/dirty_bytes
echo 100000 >/proc/sys/vm/dirty_background_bytes
echo 20000 >$trace/buffer_size_kb
echo 1 >$trace/events/writeback/balance_dirty_pages/enable
(cd disk && "$STAPRUN" "$W/dirty.ko" --format=csv -c '../writer writes 1200 65536 0') >out
echo 0 >$trace/events/writeback/balance_dirty_pages/enable
values out >rows
cat rows
expected=$(sed -n 's/^ *writer-[0-9].* pause=\([0-9]*\) .*/\1/p' $trace/trace | awk '$1 > 0 { n++; ms += $1; if ($1 > worst) worst = $1 } END { print n "," worst "," ms }')
is_equal 'pauses of the writer' "$(grep '^writer,' rows | cut -d , -f 4-6)" "$expected"
[ "${expected%%,*}" -ge 1 ] || fail 'the writer was not stopped'
umount disk
losetup -d "$loop"
quiet dirty
