# SPDX-License-Identifier: GPL-2.0-or-later
# A session starts while a CPU is on its way online, at every moment of the start: what is printed on that CPU arrives.
#: long: a CPU takes its time, 20 times
#: scripts: _hotplug.stp
#: host: printf 'obj-m := _slow_cpu.o\n' > Makefile && cp "$AREA/_slow_cpu.c" . && "$AREA/../make-module.sh" "$TREE" "$PWD"
#: host: cc -O2 -static -o calls "$AREA/_calls.c"
#: cpus: 2
#: timeout: 300
cpu=$(($(nproc) - 1))
online=/sys/devices/system/cpu/cpu$cpu/online
[ -w "$online" ] || skip 'CPUs cannot be switched off here'
insmod _slow_cpu.ko
trap 'rmmod _slow_cpu; echo 1 >"$online"' EXIT
for moment in {00..19}; do
    echo 0 >"$online"
    rm -f out
    "$STAPRUN" _hotplug.ko >out &
    pid=$!
    sleep "0.$(printf '%03d' $((10#$moment * 20)))"
    echo 1 >"$online"
    eventually 20 test -s out
    taskset -c $cpu ./calls 1 100
    kill -INT $pid
    wait $pid || fail "status $? where the CPU came $moment * 20 ms after the start"
    is_equal "calls printed, where the CPU came $moment * 20 ms after the start" "$(grep -c '^getppid$' out)" 100
done
