# SPDX-License-Identifier: GPL-2.0-or-later
# Events whose way alone takes more than the budget come at a longer period, and count for as many as the kernel counted.
#: host: cc -O2 -static -o budget_faults "$AREA/_budget_faults.c"
#: host: "$STAP" --no-global-var-display --budget=0.3 -p4 -r "$R" -m periods -e 'global n, every probe perf.sw.page_faults.sample(1) { if (execname() == "counted") n <<< 1 } probe perf.sw.page_faults.sample(7) { if (execname() == "counted") every <<< 7 } probe end { println(@count(n), " ", @sum(every)) }' >/dev/null
#: timeout: 200
#: records: no, what the budget leaves out depends on the machine
"$STAPRUN" --budget=0.3 --ledger ledger -c "sh -c 'taskset -c 1 ./budget_faults 800 >true'" periods.ko >out 2>err || fail "status $?: $(cat err)"
faults=$(cat true)
read -r n every <out
figures() { sed -n "/sample($1)/"'s/.*"hits": \([0-9]*\), "handled": \([0-9]*\), .*"stretched": \([0-9]*\), .*/\1 \2 \3/p' ledger; }
read -r hits handled stretched <<<"$(figures 1)"
refused() { sed -n "/sample($1)/"'s/.*"refused": \([0-9]*\), .*/\1/p' ledger; }
refused=$(refused 1) seventh=$(refused 7)
echo "$n and $every counted of $faults faults; $hits hits, $handled handled, $stretched at a longer period, $refused and $seventh refused"
[ "$faults" -ge 400000 ] || fail "only $faults faults"
[ "${stretched:-0}" -gt 0 ] || fail "the period stayed: $(cat ledger)"
[ "$hits" -lt $((faults / 2)) ] || fail 'hardly an event was left out'
grep -Eq 'sample\(1\).* hits were handled, one of [0-9.]+; [0-9]+ came at a longer period$' err || fail "stderr: $(cat err)"
for estimate in $((n + refused)) $((every + 7 * seventh)); do
    [ "$estimate" -ge $((faults * 3 / 4)) ] || fail "$estimate of $faults"
done
[ "$n" -le $((faults * 5 / 4)) ] && [ "$every" -le $((faults * 5 / 4)) ] || fail "$n and $every of $faults"
# Without a budget, all are hits.
"$STAPRUN" --ledger ledger -c "sh -c 'taskset -c 1 ./budget_faults 20 >true'" periods.ko >out 2>err || fail "status $?: $(cat err)"
grep -q stretched ledger && fail 'the period is longer without a budget'
read -r n every <out
is_equal 'faults' "$n" "$(cat true)"
