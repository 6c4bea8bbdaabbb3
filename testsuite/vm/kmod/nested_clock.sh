# SPDX-License-Identifier: GPL-2.0-or-later
# Probes of what reads the clock. When handlers do, a hit in the middle of another one is skipped and counted. When hits are measured by
# it, those that come from that are left out.
#: long: many rounds beside load
#: host: "$STAP" -p4 -r "$R" -m leaf -e 'global n probe kernel.function("acpi_pm_rea?")?, kernel.function("read_hpe?")? { n++ } probe end { println(n ? "hit" : "") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m full -e 'global n probe kernel.function("acpi_pm_read")?, kernel.function("read_hpet")? { n[execname()] <<< 1 } probe end { foreach (name in n limit 1) println("hit") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m kept -e 'global last probe kernel.function("acpi_pm_read")?, kernel.function("read_hpet")? { last = ktime_get_ns() } probe end { println(last ? "hit" : "") }' >/dev/null
#: timeout: 120
#: records: also
clocks=/sys/devices/system/clocksource/clocksource0
for clock in acpi_pm hpet none; do
    ! grep -qw $clock $clocks/available_clocksource || break
done
[ $clock != none ] || skip "has no clock that a function reads: $(cat $clocks/available_clocksource)"
before=$(cat $clocks/current_clocksource)
trap 'echo "$before" >$clocks/current_clocksource' EXIT
echo $clock >$clocks/current_clocksource
eventually 20 grep -qx $clock $clocks/current_clocksource
for module in "-t leaf" "-t full" kept; do
    # shellcheck disable=SC2086 # an option and a name
    "$STAPRUN" --ledger=ledger --limit MAXSKIPPED=1000000000 $module.ko -c "sh -c 'for i in 1 2 3 4 5 6 7 8; do date; done'" >out 2>err ||
        fail "$module: $(cat err)"
    grep -qx hit out || fail "$module: no hits"
    grep -q '"balanced": true' ledger || fail "$module: the ledger does not add up"
    nested=$(grep -o '"reentry": [0-9]*' ledger | awk '{ sum += $2 } END { print sum }')
    handled=$(grep -o '"handled": [0-9]*' ledger | awk '{ sum += $2 } END { print sum }')
    echo "$module: $handled handled, $nested nested"
    case $module in
    # Two for each that is handled, if they counted. A handler that takes long looks at the clock itself.
    -t*) [ $((nested * 10)) -le "$handled" ] || fail "$module: hits of the measurement count" ;;
    *) [ "$nested" -gt 0 ] || fail "$module: no hit came in the middle of another one" ;;
    esac
done
