# SPDX-License-Identifier: GPL-2.0-or-later
# Two processors in contention on two globals, a million hits each, interrupted by timers that change the same globals: the globals
# agree at every hit, and no hit is missing. HITS=N for more or less.
#: long: many rounds of contention
#: scripts: _contended.stp
#: host: cc -O2 -static -o repeat "$AREA/../kmod/_repeat.c"
#: cpus: 2
#: timeout: 300
#: records: also
hits=${HITS:-1000000}
"$STAPRUN" --ledger=ledger -c "sh -c 'taskset -c 0 ./repeat 110 $hits & taskset -c 1 ./repeat 110 $hits & wait'" _contended.ko >out
read -r task tick softirq bad left right <out
echo "task $task, hard interrupt $tick, soft interrupt $softirq, bad $bad, missing $left $right"
[ "$task" -ge $((2 * hits)) ] || fail "only $task hits"
[ "$tick" -gt 100 ] && [ "$softirq" -gt 10 ] || fail 'nothing interrupted'
is_equal 'times they were not equal' "$bad" 0
is_equal 'updates missing' "$left $right" '0 0'
is_equal 'hits skipped' "$(grep -o '"reentry": [0-9]*\|"lock": [0-9]*\|"stack": [0-9]*' ledger | awk '{ sum += $2 } END { print sum + 0 }')" 0
