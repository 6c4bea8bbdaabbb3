# SPDX-License-Identifier: GPL-2.0-or-later
# Requests to a loop device and two partitions of it, counted, measured and followed, as the devices' own counters have them.
#: scripts: _ioblock.stp
#: script-args: loop0
#: requires: program losetup addpart
modprobe loop
truncate -s 8M disk.img
losetup /dev/loop0 disk.img
# The second half as a partition that starts at sector 8192.
addpart /dev/loop0 1 8192 8192
echo mq-deadline >/sys/block/loop0/queue/scheduler
scheduler=$(sed 's/.*\[\(.*\)\].*/\1/' /sys/block/loop0/queue/scheduler)
# Older kernels let loop devices have none.
[ "$scheduler" != none ] || scheduler=
cat >work <<'END'
dd if=/dev/zero of=/dev/loop0p1 bs=64k count=20 oflag=direct
dd if=/dev/zero of=/dev/loop0 bs=4k count=30 oflag=direct
dd if=/dev/loop0p1 of=/dev/null bs=4k count=10 iflag=direct skip=100
dd if=/dev/loop0 of=/dev/null bs=512 count=7 iflag=direct
dd if=/dev/zero of=/dev/loop0p1 bs=4k count=5 conv=fsync
END
counters() { for part in loop0 loop0/loop0p1; do awk -v p="${part#*/}" '{ print p, "R", $3 * 512, $1, $2; print p, "W", $7 * 512, $5, $6 }' /sys/block/$part/stat; done; }
udevadm settle 2>/dev/null || true
counters >before
"$STAPRUN" _ioblock.ko -c "sh $W/work 2>/dev/null" -o seen
counters >after
paste -d' ' before after | awk '{ print $1, $2, $8 - $3, $9 - $4, $10 - $5 }' >expected
grep '^loop0' seen | while read -r device way _ n bytes _; do echo "$device $way $bytes $n"; done >probed
# Where partitions are resolved before requests are queued, as before Linux 5.12, what is queued and ends is the disk's.
awk '/^loop0/ { asked[$1, $2] = $4 " " $5; queued[$1, $2] = $7 " " $8; ended[$1, $2] = $10 " " $11
                for (i = 4; i <= 10; i += 3) { n[$2, i] += $i; bytes[$2, i] += $(i + 1) } if ($1 != "loop0" && !$7) whole = 1 }
     END { for (k in asked) { split(k, key, SUBSEP); w = key[2]
           if (!whole && (asked[k] != queued[k] || asked[k] != ended[k]) || n[w, 4] != n[w, 7] || n[w, 4] != n[w, 10] || bytes[w, 4] != bytes[w, 7] || bytes[w, 4] != bytes[w, 10])
               print key[1], w, "was asked", asked[k], "queued", queued[k], "ended", ended[k] } }' seen >unequal
[ ! -s unequal ] || fail "$(cat unequal)"
# The disk's own counters include those of its partition.
part() { awk -v d="$2" -v w="$3" '$1 == d && $2 == w { print $3, $4, $5 }' "$1"; }
for way in R W; do
    set -- $(part probed loop0p1 $way) $(part expected loop0p1 $way)
    is_equal "what the partition did ($way)" "$1" "$3"
    # Requests may have been joined: with each other, and to what was made of several.
    [ "$2" -ge "$4" ] && [ "$2" -le $(($4 + $5)) ] || fail "requests of the partition ($way): $*"
    set -- $(part probed loop0 $way) $(part probed loop0p1 $way) $(part expected loop0 $way)
    is_equal "what the disk did ($way)" "$(($1 + $3))" "$5"
    # Some kernels count the request without data that fsync() makes.
    [ $(($2 + $4 + 1)) -ge "$6" ] && [ $(($2 + $4)) -le $(($6 + $7)) ] || fail "requests of the disk ($way): $*"
done
grep '^odd' seen >&2 && fail 'odd requests'
# The five pages that were not written directly are of the device's file.
grep -q '^file loop0p1 [0-9]* W 20480$' seen || fail 'no pages of a file'
grep -q "^scheduler $scheduler$" seen || fail "no scheduler $scheduler"
set -- $(tail -1 seen)
[ "$2" -ge 67 ] && [ "$4" -ge "$2" ] || fail "$*"
losetup -d /dev/loop0
