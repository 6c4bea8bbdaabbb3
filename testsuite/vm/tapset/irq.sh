# SPDX-License-Identifier: GPL-2.0-or-later
# irq_handler.*, softirq.* and workqueue.* against /proc/interrupts and /proc/softirqs: at least what these count while the script runs, and at
# most what they count from before it starts until after it ends.
#: scripts: _irq.stp
#: requires: debug-info
soft() { awk -v name="$1:" '$1 == name { for (i = 2; i <= NF; i++) n += $i; print n }' /proc/softirqs; }
# The interrupt of a device, summed over all processors, by its number.
interrupt() { awk -v cpus="$(nproc)" -v irq="$1:" '$1 == irq { for (i = 2; i < 2 + cpus; i++) n += $i; print n }' /proc/interrupts; }
# The device that this very folder is on.
irq=$(sed -n 's/^ *\([0-9]*\):.*virtio.*/\1/p' /proc/interrupts | head -n 1)
[ "$irq" ] || irq=$(sed -n 's/^ *\([0-9]*\):.*/\1/p' /proc/interrupts | tail -n 1)
before="$(soft TIMER) $(soft RCU)"
for n in $(sed -n 's/^ *\([0-9]*\):.*/\1/p' /proc/interrupts); do echo "$n $(interrupt "$n")"; done >irqs_before
"$STAPRUN" _irq.ko >out &
staprun=$!
eventually 20 grep -q ready out
started="$(soft TIMER) $(soft RCU)"
for n in $(sed -n 's/^ *\([0-9]*\):.*/\1/p' /proc/interrupts); do echo "$n $(interrupt "$n")"; done >irqs_started
# Threads for another set of processors, and an end of them.
mask=$(cat /sys/devices/virtual/workqueue/cpumask)
echo 1 >/sys/devices/virtual/workqueue/cpumask
sync
echo "$mask" >/sys/devices/virtual/workqueue/cpumask
for ((i = 0; i < 20; i++)); do cat "$AREA"/*.c >/dev/null; done
sleep 0.5
for n in $(sed -n 's/^ *\([0-9]*\):.*/\1/p' /proc/interrupts); do echo "$n $(interrupt "$n")"; done >irqs_ending
ending="$(soft TIMER) $(soft RCU)"
kill -INT $staprun
wait $staprun
after="$(soft TIMER) $(soft RCU)"
for n in $(sed -n 's/^ *\([0-9]*\):.*/\1/p' /proc/interrupts); do echo "$n $(interrupt "$n")"; done >irqs_after
cat out
between() { [ "$2" -ge $(($4 - $3)) ] && [ "$2" -le $(($5 - $1)) ] || fail "$6: $2, not between $(($4 - $3)) and $(($5 - $1))"; }
field() { echo "$2" | cut -d ' ' -f "$1"; }
at() { awk -v n="$1" '$1 == n { print $2 }' "$2"; }
n=0
for vector in 1 9; do
    n=$((n + 1))
    between "$(field $n "$before")" "$(sed -n "s/^soft $vector //p" out)" "$(field $n "$started")" "$(field $n "$ending")" "$(field $n "$after")" "soft interrupt $vector"
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
