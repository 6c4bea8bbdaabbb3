# SPDX-License-Identifier: GPL-2.0-or-later
# Four processors count the same things: no count is lost, no hit skipped.
#: long: many rounds of contention
#: cpus: 4
#: timeout: 180
#: scripts: _hammer.stp
"$STAPRUN" --ledger=ledger -c "sh -c 'for c in 0 1 2 3; do taskset -c \$c dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null & done; wait'" \
    _hammer.ko >out
read -r counted element stat by_cpu bad <out
echo "counted $counted element $element stat $stat by_cpu $by_cpu bad $bad"
[ "$counted" -ge 80000 ] || fail "only $counted hits"
is_equal 'the element' "$element" "$counted"
is_equal 'the statistic' "$stat" "$counted"
is_equal 'the sum over CPUs' "$by_cpu" "$counted"
is_equal 'broken invariants' "$bad" 0
is_equal 'hits skipped' "$(grep -o '"reentry": [0-9]*\|"lock": [0-9]*\|"stack": [0-9]*' ledger | awk '{ sum += $2 } END { print sum + 0 }')" 0
