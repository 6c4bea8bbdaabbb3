# SPDX-License-Identifier: GPL-2.0-or-later
# A session with a budget leaves out hits, counts them, says so, and goes on; what is counted is still all that the program did.
#: host: "$STAP" --no-global-var-display -p4 -r "$R" -m heavy -e 'global c, n probe kernel.function("vfs_read") { n <<< 1; for (i = 0; i < 200; i++) c[execname()] <<< 1 } probe timer.ms(100) { t++ } global t probe end { println(@count(n), " ", t > 0) }' >/dev/null
#: timeout: 200
reads=300000
# Hits, those handled and those left out. Few come while the probe is being armed or disarmed.
figures() { sed -n '/vfs_read/s/.*"hits": \([0-9]*\), "handled": \([0-9]*\), "skipped": {.*"state": \([0-9]*\), "budget": \([0-9]*\)}, "refused".*/\1 \2 \4 \3/p' "$1"; }
"$STAPRUN" --budget=5 --limit MAXSKIPPED=0 --ledger ledger -c "dd if=/dev/zero of=/dev/null bs=1 count=$reads status=none" heavy.ko >out 2>err || fail "status $?: $(cat err)"
read -r hits handled left_out early <<<"$(figures ledger)"
echo "$hits hits, $handled handled, $left_out left out"
[ "$hits" -ge $reads ] || fail "$hits hits of $reads reads"
[ "$left_out" -gt $((hits / 2)) ] || fail "only $left_out of $hits hits were left out"
is_equal 'the sum' $((handled + left_out + early)) "$hits"
is_equal 'the output' "$(cat out)" "$handled 1"
grep -Eq "^budget: kernel\.function\(\"vfs_read[^\"]*\"\) \(<input>:1:13\): $handled of $hits hits were handled, one of [0-9.]+\$" err || fail "stderr: $(cat err)"
grep -q '"balanced": true' ledger || fail 'the ledger does not balance'
grep -q '"lost": false' ledger || fail 'hits that the budget leaves out are no loss'
# Timers run at their own rate, and a script within its budget loses nothing.
"$STAPRUN" --budget=100 --ledger ledger -c "dd if=/dev/zero of=/dev/null bs=1 count=300 status=none" heavy.ko >out 2>err || fail "status $?: $(cat err)"
grep -q budget err ledger && fail "hits were left out: $(cat err)"
"$STAPRUN" --budget=1 --format=json -c "dd if=/dev/zero of=/dev/null bs=1 count=$reads status=none" heavy.ko >out 2>err || fail "status $?: $(cat err)"
grep -Eq '"type":"quality".*"complete":false.*"left_out":[1-9]' out || fail "$(tail -3 out)"
