# SPDX-License-Identifier: GPL-2.0-or-later
# A tool on memory nodes, of which the kernel makes two: looks at pages and moves of these against /proc/vmstat.
#: append: numa=fake=2
#: requires: config CONFIG_NUMA_EMU=y CONFIG_NUMA_BALANCING=y
#: host: cc -O1 -static -pthread -o machine "$AREA/_machine.c"
#: host: "$STAP" -p4 -r "$R" -m numa run numa >/dev/null
#: timeout: 120
#: long: a guest of its own
. "$AREA/_tools.sh"
[ -e /sys/devices/system/node/node1 ] || skip 'the kernel made no second node'
echo 1 >/proc/sys/kernel/numa_balancing
statistic() { awk -v n="$1" '$1 == n { print $2 }' /proc/vmstat; }
counts() { echo "$(statistic numa_hint_faults) $(($(statistic numa_hint_faults) - $(statistic numa_hint_faults_local))) $(statistic numa_pages_migrated)"; }
before=$(counts)
"$STAPRUN" "$W/numa.ko" --format=csv -c "$W/machine far 2000 6000" >out
set -- $before $(counts)
values out >rows
cat rows; echo "$@"
is_equal 'looks at pages' "$(awk -F, '{ a += $3; b += $4; c += $5 } END { print a + 0, b + 0, c + 0 }' rows)" "$(($4 - $1)) $(($5 - $2)) $(($6 - $3))"
[ "$(grep '^machine,' rows | cut -d , -f 4)" -ge 1 ] || fail 'no page of another node'
echo 0 >/proc/sys/kernel/numa_balancing
"$STAPRUN" "$W/numa.ko" -c 'sleep 0.3' >out
grep -q . out || fail 'numa says nothing when there is nothing'
