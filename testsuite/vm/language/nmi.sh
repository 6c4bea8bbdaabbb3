# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers in task context, in hard interrupts and in NMIs on the same globals: nothing hangs, nothing is torn, and each hit is
# accounted for: handled, or skipped because the NMI came while its processor held the locks.
#: long: a storm of NMIs
#: scripts: _nmi.stp
#: host: cc -O2 -static -o repeat "$AREA/../kmod/_repeat.c"
#: cpus: 2
#: timeout: 240
#: requires: function show_regs
#: requires: file /proc/sysrq-trigger
#: allow-log: (NMI backtrace|Sending NMI|sysrq:|Call Trace|RIP|Code:|CPU:|Hardware name)
# SysRq-l makes every busy processor show its registers out of an NMI.
for cpu in $(seq 0 $(($(nproc) - 1))); do
    (while :; do taskset -c $cpu ./repeat 110 10000; done) &
    load="${load:-} $!"
done
"$STAPRUN" --ledger=ledger --limit MAXSKIPPED=1000000 _nmi.ko >out 2>err &
pid=$!
eventually 20 is_armed _nmi
for round in $(seq 25); do
    echo l >/proc/sysrq-trigger
    sleep 0.02
done
kill -INT $pid
wait $pid || fail "exit status $?: $(cat err)"
kill $load
read -r task tick nmi bad left right finished <<<"$(grep "^[0-9]" out)"
# By reason, over all probes.
skipped() { grep -o "\"$1\": [0-9]*" ledger | awk '{ sum += $2 } END { print sum + 0 }'; }
echo "task $task, tick $tick, nmi $nmi, bad $bad, left $left, right $right, finished $finished; skipped: lock $(skipped lock), reentry $(skipped reentry)" | tee figures
is_equal 'times they were not equal' "$bad" 0
is_equal 'the two globals' "$left" "$right"
[ "$nmi" -ge 10 ] || fail "only $nmi hits came as an NMI"
# A sample is taken before the locks: the updates are fewer by what was skipped.
is_equal 'updates' "$left" $((task + tick + nmi - $(skipped lock)))
is_equal 'handlers finished' "$finished" "$left"
grep -q '"balanced": true' ledger || fail 'the ledger does not balance'
