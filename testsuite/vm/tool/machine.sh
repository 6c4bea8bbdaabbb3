# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on memory and processors that rest on what the kernel has to do for them, against its own counters.
#: host: cc -O1 -static -pthread -o machine "$AREA/_machine.c"
#: host: cc -O0 -o twice "$AREA/_twice.c"
#: host: for t in compact swapin tlb latetick; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: "$STAP" -g -p4 -r "$R" -m delays "$AREA/_delays.stp" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m doublefree -c "$W/twice" run doublefree >/dev/null
#: requires: program mkswap swapon losetup
#: cpus: 2
#: timeout: 200
#: long: some ten sessions
. "$AREA/_tools.sh"
# run TOOL "WORDS OF machine" NAME=VALUE...
run() {
    local tool=$1 words=$2
    shift 2
    "$STAPRUN" "$W/$tool.ko" --format=csv -c "$W/machine $words" "$@" >out 2>err || { cat out err; fail "$tool $*: status $?"; }
    values out >rows
}
empty() { "$STAPRUN" "$W/$1.ko" -c 'sleep 0.3' >out 2>err || fail "$1: status $?"; grep -q . out || fail "$1 says nothing when there is nothing"; }
statistic() { awk -v n="$1" '$1 == n { print $2 }' /proc/vmstat; }

# The C library looks for these faults in memory that it keeps for the next request, but not with pieces of a chain.
GLIBC_TUNABLES=glibc.malloc.tcache_count=0 "$STAPRUN" "$W/doublefree.ko" --format=csv -c "$W/twice 3" >out 2>err || { cat out err; fail 'doublefree'; }
cat out err; values out >rows
is_equal 'pieces that are given back twice' "$(grep -cE '^(0x)?[0-9a-f]+,[0-9]+,[0-9]+,[0-9]+,[0-9]+$' rows)" 3
GLIBC_TUNABLES=glibc.malloc.tcache_count=0 "$STAPRUN" "$W/doublefree.ko" -c "$W/twice 1" >out
cat out
is_equal 'places' "$(grep -c ': main+' out)" 2

modprobe loop 2>/dev/null || :
truncate -s 64M swap.img
loop=$(losetup -f --show swap.img)
mkswap "$loop" >/dev/null
swapon "$loop"
echo 0 >/proc/sys/vm/page-cluster
groups=/sys/fs/cgroup
[ -e $groups/cgroup.procs ] || mount -t cgroup2 none $groups
echo +memory >$groups/cgroup.subtree_control
mkdir $groups/small
echo 8M >$groups/small/memory.max
before=$(statistic pswpin)
printf '%s\n' "echo \$\$ >$groups/small/cgroup.procs" "exec $W/machine swapped 3000" >script
"$STAPRUN" "$W/swapin.ko" --format=csv -c 'bash script' >out 2>err || { cat out err; fail swapin; }
values out >rows
cat rows
rmdir $groups/small
is_equal 'waits for swap' "$(grep '^machine,' rows | cut -d , -f 3)" "$(grep -E '^[0-9]+$' err)"
waits=$(grep '^machine,' rows | cut -d , -f 3)
[ "$waits" -ge 500 ] && [ "$waits" -le $(($(statistic pswpin) - before)) ] || fail "$waits waits for $(($(statistic pswpin) - before)) pages"
swapoff "$loop"
losetup -d "$loop"

run tlb 'shootdowns 10' rows=1000
few=$(grep ',machine,' rows | cut -d , -f 1)
run tlb 'shootdowns 210' rows=1000
more=$(($(grep ',machine,' rows | cut -d , -f 1) - ${few:-0}))
# Beginning and ending may need one more or less.
[ $more -ge 198 ] && [ $more -le 202 ] || fail "$more flushes, not 200"
tlb() { awk '$1 == "TLB:" { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n }' /proc/interrupts; }
before=$(tlb)
run tlb 'shootdowns 210' rows=1000
# A processor that has become idle is not interrupted.
[ "$(grep ',machine,' rows | cut -d , -f 1)" -le $(($(tlb) - before + 4)) ] || fail 'more flushes than interrupts'

# Most memory is taken away in large pages, and the rest broken into small pieces.
free() { awk '$1 == "MemFree:" { print $2 }' /proc/meminfo; }
begin compact
before=$(statistic compact_stall)
huge=$((($(free) - 400000) / 2048))
echo $huge >/proc/sys/vm/nr_hugepages
"$W/machine" pieces $(($(free) / 100 * 22)) &
pieces=$!
disown
eventually 60 grep -q 'State:.*T' /proc/$pieces/status
sh -c "echo $((huge + 60)) >/proc/sys/vm/nr_hugepages"
after=$(statistic compact_stall)
kill -KILL $pieces
echo 0 >/proc/sys/vm/nr_hugepages
finish
cat rows
is_equal 'waits for pages side by side' "$(awk -F, '{ n += $5 } END { print n + 0 }' rows)" $((after - before))
grep -q '^sh,[0-9]*,2097152,' rows || fail 'nothing was moved'

"$STAPRUN" "$W/delays.ko" -c "$STAPRUN $W/latetick.ko --format=csv -c '$W/machine calls 1000000' min=30000 >out" >delayed
values out >rows
cat rows delayed
late=$(awk -F, '$2 == "machine" && $5 >= 30000 * $3 { n += $3 } END { print n + 0 }' rows)
[ "$(cat delayed)" -ge 3 ] && [ "$late" -ge $(($(cat delayed) - 1)) ] || fail "$late timers were late"
for tool in compact swapin; do empty $tool; done
