# SPDX-License-Identifier: GPL-2.0-or-later
# A counter that is read twice counts what the kernel accounts to the process in between; in an end probe it has all.
#: scripts: _counter.stp
#: host: cc -O2 -static -o faults "$AREA/_faults.c"
"$STAPRUN" _counter.ko >out &
pid=$!
eventually 20 grep -q ready out
expected=$(taskset -c 1 ./faults)
kill -INT $pid
wait $pid
cat out
is_equal 'what was counted, before, odd, in the end' "$(tail -n 1 out)" "$expected 0 0 1"
