# SPDX-License-Identifier: GPL-2.0-or-later
# A session without output interrupts no processor; one with little output interrupts the CPU that printed: by the kernel's own count.
#: long: waits for seconds
#: records: also
#: scripts: _silence.stp
#: cpus: 4
calls() { awk '$1 == "CAL:" { for (i = 2; $i ~ /^[0-9]+$/; i++) sum += $i } END { print sum + 0 }' /proc/interrupts; }
grep -q CAL: /proc/interrupts || skip 'this machine counts no function call interrupts'
# calls_in SECONDS: how many calls processors make to others.
calls_in() {
    local before
    before=$(calls)
    sleep "$1"
    echo $(($(calls) - before))
}
session() {
    "$STAPRUN" _silence.ko "$@" >out &
    pid=$!
    eventually 20 is_armed _silence
    sleep 1
}
without=$(calls_in 5)
session
silent=$(calls_in 5)
kill -INT $pid
wait $pid
# Each tick comes after a silence in which staprun has stopped looking.
session pause=500
little=$(calls_in 5)
eventually 20 grep -q 'tick 60' out
kill -INT $pid
wait $pid
echo "function calls to other processors in 5 s: without a session $without, silent $silent, 10 lines $little"
[ "$silent" -le $((without + 30)) ] || fail 'a silent session interrupts processors'
# Waking staprun, five times for each line, is such a call, too.
[ "$little" -le $((without + 150)) ] || fail 'a session that prints a little interrupts processors that print nothing'
is_equal 'ticks' "$(sed -n 's/tick //p' out | awk 'NR > 1 && $1 != last + 5 { bad = 1 } { last = $1 } END { print bad ? "lost" : "all" }')" all
