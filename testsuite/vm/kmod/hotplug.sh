# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs go and come back while their probes are hit; one that appears only after the start has its output, too.
#: long: CPUs go and come
#: scripts: _hotplug.stp
#: host: cc -O2 -static -o calls "$AREA/_calls.c"
#: cpus: 2
#: timeout: 120
#: records: also
online=/sys/devices/system/cpu/cpu$(($(nproc) - 1))/online
[ -w "$online" ] || skip 'CPUs cannot be switched off here'
trap 'echo 1 >"$online"' EXIT
for first in 0 1; do
    echo $first >"$online"
    rm -f out
    "$STAPRUN" _hotplug.ko >out &
    pid=$!
    eventually 10 test -s out
    for round in 1 2 3; do
        ./calls 4 500
        echo $((1 - first)) >"$online"
        ./calls 4 500
        echo $first >"$online"
    done
    kill -INT $pid
    wait $pid
    is_equal 'calls printed' "$(grep -c '^getppid$' out)" 12000
    is_equal 'calls counted' "$(tail -n 1 out)" 'total 12000'
done
