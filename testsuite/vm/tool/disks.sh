# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on disks, on a loop device that is read and written as often as it is told, against the device's own counters.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in biolatency biopattern biosnoop biotop writers ioerr; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: requires: program losetup
#: timeout: 200
#: long: some ten sessions
. "$AREA/_tools.sh"
modprobe loop 2>/dev/null || :
truncate -s 8M disk.img
losetup /dev/loop0 disk.img
echo mq-deadline >/sys/block/loop0/queue/scheduler
cat >work <<'E'
dd if=/dev/zero of=/dev/loop0 bs=64k count=20 oflag=direct
dd if=/dev/loop0 of=/dev/null bs=4k count=30 iflag=direct
for i in 900 3 700 200 500 100 800; do dd if=/dev/loop0 of=/dev/null bs=4k count=1 skip=$i iflag=direct; done
E
udevadm settle 2>/dev/null || true
# requests: of the device so far: reads, sectors, writes, sectors
requests() { awk '{ print $1, $3, $5, $7 }' /sys/block/loop0/stat; }
# tried TOOL NAME=VALUE...: its rows are in `rows`; what the device did meanwhile is in reads, read, writes, written.
tried() {
    local tool=$1 before
    shift
    before=$(requests)
    "$STAPRUN" "$W/$tool.ko" --format=csv -c 'sh work 2>/dev/null' "$@" >out 2>err || { cat err; fail $tool; }
    values out >rows
    set -- $before $(requests)
    reads=$(($5 - $1)) read=$((($6 - $2) * 512)) writes=$(($7 - $3)) written=$((($8 - $4) * 512))
}
tried biolatency device=loop0 by=kind hist=0
is_equal 'requests' "$(awk -F, '{ print $1, $2, $7 }' rows | sort | tr '\n' ' ')" "loop0 read $reads $read loop0 write $writes $written "
is_equal 'the load' "$reads $writes" '37 20'
tried biopattern device=loop0 hist=0
# The first one of each kind is not in order either; of the seven here and there, some may be.
is_equal 'requests by pattern' "$(awk -F, '{ print $2, $3, $4 + $5, $7 }' rows | sort | tr '\n' ' ')" "read $reads 100 $read write $writes 100 $written "
is_equal 'pattern' "$(awk -F, '{ print $2, $4 }' rows | sort | tr '\n' ' ')" 'read 78 write 95 '
tried biosnoop device=loop0
is_equal 'reads' "$(grep -c '^loop0,read,dd,' rows)" $reads
is_equal 'places of writes' "$(grep '^loop0,write,dd,' rows | cut -d , -f 5 | sort -n | tr '\n' ' ')" "$(seq 0 128 2432 | tr '\n' ' ')"
tried biotop
grep ',loop0,' rows | awk -F, '{ n[$1 " " $4] += $5; b[$1 " " $4] += $6 } END { for (k in n) print k, n[k], b[k] }' | sort | tr '\n' ' ' >sums
is_equal 'requests by program' "$(cat sums)" "dd read $reads $read dd write $writes $written "

# Pages of the device are dirty when it is written without O_DIRECT; none before.
sync
"$STAPRUN" "$W/writers.ko" --format=csv -c 'dd if=/dev/zero of=/dev/loop0 bs=4k count=25 status=none' >out
is_equal 'dirty pages' "$(values out | awk -F, '$3 == "dd" && $5 == "7:0" { n += $1 } END { print n }')" $((25 * 4096))

# A device that fails: what its file is on is full after a while.
mkdir small
mount -t tmpfs -o size=1M none small
truncate -s 8M small/disk.img
losetup /dev/loop1 small/disk.img
"$STAPRUN" "$W/ioerr.ko" --format=csv -c 'sh -c "dd if=/dev/zero of=/dev/loop1 bs=64k oflag=direct 2>said; true"' >out
values out
good=$(sed -n 's/^\([0-9]*\)+0 records out/\1/p' said)
is_equal 'errors' "$(values out | cut -d , -f 1-5)" "failed,loop1,write,$((good * 128)),65536"
losetup -d /dev/loop0
losetup -d /dev/loop1
umount small
for tool in writers ioerr; do quiet $tool; done
