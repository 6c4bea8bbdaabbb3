# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on memory, against /proc, the page cache as fincore sees it, and control groups' own counts.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in shmem oom reclaim memhigh refault cachestat; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: requires: program mkfs.ext4 losetup fincore
#: timeout: 300
#: long: some fifteen sessions, and memory that runs out
. "$AREA/_tools.sh"

"$W/loads" memory 3000000 60000 &
shared=$!
eventually 30 test -e /proc/$shared/fd/3
eventually 30 sh -c "test \$(stat -Lc %b /proc/$shared/fd/3) -ge 5859"
"$STAPRUN" "$W/shmem.ko" --format=csv >out
is_equal 'a file in memory' "$(values out | grep memfd:of-the-test | cut -d , -f 1,4)" "$(($(stat -Lc %b /proc/$shared/fd/3) * 512)),0"
dd if=/dev/zero of=here bs=4096 count=77 2>/dev/null
"$STAPRUN" "$W/shmem.ko" --format=csv min=300000 >out
is_equal 'a file of tmpfs' "$(values out | grep 'tools/here$' | cut -d , -f 1,4)" "$((77 * 4096)),1"
kill $shared

modprobe loop 2>/dev/null || :
truncate -s 64M disk.img
loop=$(losetup -f --show disk.img)
mkfs.ext4 -q "$loop"
mkdir disk
mount "$loop" disk
# The program itself is on tmpfs, whose pages the tool does not count.
cp "$W/loads" reader
(cd disk && ../reader writes 4096 4096 1)
sync
# cached LOAD: pages that it asks for, that are not there, and that become dirty
cached() {
    (cd disk && "$STAPRUN" "$W/cachestat.ko" --format=csv -c "../reader $1" by=process) >out
    values out | grep '^reader(' | cut -d , -f 2,3,5 | tr , ' '
}
echo 3 >/proc/sys/vm/drop_caches
is_equal 'pages before' "$(fincore -n -o PAGES disk/written | tr -d ' ')" 0
set -- $(cached 'reads 1 409600')
[[ ! $R =~ ^(5|6\.[0-9]|6\.1[0-5])\. ]] || is_equal 'pages that were not there' "$2" "$(fincore -n -o PAGES disk/written | tr -d ' ')"
is_equal 'pages that were there' "$(cached 'reads 1 409600' | cut -d ' ' -f 2)" 0
# Later kernels keep several pages of ext4 as one piece.
if [[ $R =~ ^(5|6\.[0-9]|6\.1[0-5])\. ]]; then
    is_equal 'pages that were asked for' "$(cached 'reads 1 409600')" '100 0 0'
    is_equal 'pages that became dirty' "$(cached 'writes 100 4096 0' | cut -d ' ' -f 3)" 100
fi

groups=/sys/fs/cgroup
[ -e $groups/cgroup.procs ] || mount -t cgroup2 none $groups
echo +memory >$groups/cgroup.subtree_control
mkdir $groups/small $groups/files $groups/high
# in_group NAME MODULE COMMAND...: the rows of a session on it are in `rows`
in_group() {
    local group=$1 tool=$2
    shift 2
    printf '%s\n' "echo \$\$ >$groups/$group/cgroup.procs" "$*" >script
    "$STAPRUN" "$W/$tool.ko" --format=csv -c 'bash script' >out 2>err || :
    values out >rows
}
# event GROUP NAME, statistic GROUP NAME: of the group's own
event() { awk -v n="$2" '$1 == n { print $2 }' $groups/$1/memory.events; }
statistic() { awk -v n="$2" '$1 == n { print $2 }' $groups/$1/memory.stat; }

# A file that is larger than the group's memory is read twice.
dd if=/dev/zero of=disk/big bs=1M count=16 2>/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
echo 8M >$groups/files/memory.max
in_group files reclaim 'cat disk/big >/dev/null; cat disk/big >/dev/null'
grep -q '^cat,.*,its control group,' rows || fail 'nothing was reclaimed'
is_equal 'waits for memory' "$(awk -F, '$3 == "its control group" { n += $4 } END { print n }' rows)" "$(event files max)"
# Linux 5.10 does not count them by group.
[[ $R = 5.10.* ]] || is_equal 'pages that were found' "$(awk -F, '$3 == "its control group" { n += $7 } END { print n }' rows)" "$(statistic files pgsteal_direct)"
before=$(statistic files workingset_refault_file)
in_group files refault 'cat disk/big >/dev/null; cat disk/big >/dev/null'
again=$(awk -F, '$2 == "cat" { n += $1 } END { print n }' rows)
counted=$(($(statistic files workingset_refault_file) - before))
# On each processor, Linux 5.10 keeps up to 32 pages that are not yet in the count.
part=$((32 * $(nproc)))
if [[ $R != 5.10.* ]] || [ $again -lt $((counted - part)) ] || [ $again -gt $((counted + part)) ]; then
    is_equal 'pages that were read again' $again $counted
fi
umount disk
losetup -d "$loop"

echo 8M >$groups/high/memory.high
in_group high memhigh "exec timeout 8 $W/loads own 2600 1"
times=$(awk -F, '$1 == "loads" { print $3 }' rows)
[ "${times:-0}" -ge 1 ] && [ "$times" -le "$(event high high)" ] || fail "slowed down ${times:-0} times, above the limit $(event high high) times"
echo 4M >$groups/small/memory.max
in_group small oom "exec $W/loads own 3000 1"
is_equal 'killed' "$(grep -c '^loads,\([0-9]*\),loads,\1,' rows)" "$(event small oom_kill)"
grep -q . rows || fail 'memory did not run out'
rmdir $groups/small $groups/files $groups/high
for tool in oom memhigh refault; do quiet $tool; done
