# SPDX-License-Identifier: GPL-2.0-or-later
# irq_handler.*, softirq.* and workqueue.* against /proc/interrupts and /proc/softirqs: at least what these count while the script runs, and at
# most what they count from before it starts until after it ends.
#: scripts: _irq.stp
#: requires: debug-info
soft() { awk -v name="$1:" '$1 == name { for (i = 2; i <= NF; i++) n += $i; print n }' /proc/softirqs; }
# "NUMBER COUNT" of each interrupt, summed over all processors.
interrupts() { awk -v cpus="$(nproc)" '$1 ~ /^[0-9]+:$/ { n = 0; for (i = 2; i < 2 + cpus; i++) n += $i; print $1 + 0, n }' /proc/interrupts; }
before="$(soft TIMER) $(soft RCU)"
interrupts >irqs_before
"$STAPRUN" _irq.ko >out &
staprun=$!
eventually 20 is_armed _irq
started="$(soft TIMER) $(soft RCU)"
interrupts >irqs_started
# Threads for another set of processors, and an end of them.
mask=$(cat /sys/devices/virtual/workqueue/cpumask)
echo 1 >/sys/devices/virtual/workqueue/cpumask
sync
echo "$mask" >/sys/devices/virtual/workqueue/cpumask
cat "$AREA"/*.c >/dev/null
sleep 0.5
# A thread goes a while after its work.
eventually 20 grep -q '^gone$' out
interrupts >irqs_ending
ending="$(soft TIMER) $(soft RCU)"
kill -INT $staprun
wait $staprun
after="$(soft TIMER) $(soft RCU)"
interrupts >irqs_after
cat out
between() { [ "$2" -ge $(($4 - $3)) ] && [ "$2" -le $(($5 - $1)) ] || fail "$6: $2, not between $(($4 - $3)) and $(($5 - $1))"; }
field() { echo "$2" | cut -d ' ' -f "$1"; }
at() { awk -v n="$1" '$1 == n { print $2 }' "$2"; }
n=0
for vector in 1 9; do
    n=$((n + 1))
    # On PREEMPT_RT, RCU has threads instead.
    seen=$(sed -n "s/^soft $vector //p" out)
    between "$(field $n "$before")" "${seen:-0}" "$(field $n "$started")" "$(field $n "$ending")" "$(field $n "$after")" "soft interrupt $vector"
done
seen=0
while read -r word number count device flags; do
    [ "$word" = irq ] || continue
    between "$(at "$number" irqs_before)" "$count" "$(at "$number" irqs_started)" "$(at "$number" irqs_ending)" "$(at "$number" irqs_after)" "interrupt $number"
    grep -Eq "^ *$number:.*[ ,]$device(,|$)" /proc/interrupts || fail "interrupt $number is not of $device"
    grep -q "^handled $number$" out || fail "interrupt $number was not handled"
    seen=$((seen + 1))
done <out
[ $seen -gt 0 ] || fail 'no interrupts'
is_equal 'wrong' "$(grep ^bad out)" 'bad 0'
grep -Eq '^work [a-z_]+$' out || fail 'no work'
is_equal 'threads' "$(grep -E '^(created|destroyed)' out | sort)" 'created 1 1
destroyed 1'
