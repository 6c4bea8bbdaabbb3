# SPDX-License-Identifier: GPL-2.0-or-later
# A processor that was never there comes online while a session is armed: it has what handlers need, and buffers for what they print.
#: append: maxcpus=1 possible_cpus=64
#: scripts: _comes_counts.stp _comes_prints.stp
#: long: a boot of its own
#: timeout: 180
cpu=/sys/devices/system/cpu
is_equal 'possible processors' "$(cat $cpu/possible)" 0-63
session() {
    "$STAPRUN" "$1.ko" >"$1.out" &
    pid=$!
    eventually 20 is_armed "$1"
}
fork_on() { taskset -c "$1" bash -c '(:) & wait'; }
session _comes_counts
echo 1 >$cpu/cpu2/online
fork_on 2
fork_on 2
kill -INT $pid
wait $pid
grep -q '^cpu 2: [2-9]' _comes_counts.out || { cat _comes_counts.out; fail 'hits on the processor that came are missing'; }
session _comes_prints
echo 1 >$cpu/cpu3/online
fork_on 3
eventually 20 grep -qx 'fork on 3' _comes_prints.out
kill -INT $pid
wait $pid
