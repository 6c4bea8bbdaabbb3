# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU that went away and came back watches again.
#: long: CPUs go and come
#: scripts: _hotplug.stp
#: host: cc -O2 -static -o writer "$AREA/_writer.c"
#: requires: file /proc/sys/vm/dirty_ratio
#: requires: program taskset
#: cpus: 2
#: timeout: 120
#: records: also
last=$(($(nproc) - 1))
online=/sys/devices/system/cpu/cpu$last/online
[ -w "$online" ] || skip 'CPUs cannot be switched off here'
ratio=$(cat /proc/sys/vm/dirty_ratio)
trap 'echo 1 >"$online"; echo "$ratio" >/proc/sys/vm/dirty_ratio' EXIT
"$STAPRUN" _hotplug.ko >out &
pid=$!
eventually 20 grep -q ready out
written() { taskset -c "$last" ./writer /proc/sys/vm/dirty_ratio 31 1; }
written
eventually 10 grep -q "^on $last 1\$" out
for round in 1 2; do
    echo 0 >"$online"
    echo 1 >"$online"
    # The watch follows a moment later.
    seen() { written; grep -q "^on $last $((before + 1))\$" out; }
    before=$(grep -c "^on $last" out)
    eventually 10 seen
done
taskset -c 0 ./writer /proc/sys/vm/dirty_ratio 32 1
eventually 10 grep -q '^on 0 1$' out
kill -INT $pid
wait $pid
cat out
