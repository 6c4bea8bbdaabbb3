# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU that went away and came back is sampled again; one without its condition is not.
#: long: CPUs go and come
#: scripts: _hotplug.stp
#: host: cc -O2 -static -o repeat "$AREA/../kmod/_repeat.c"
#: cpus: 2
#: timeout: 120
#: records: also
last=$(($(nproc) - 1))
online=/sys/devices/system/cpu/cpu$last/online
[ -w "$online" ] || skip 'CPUs cannot be switched off here'
trap 'echo 1 >"$online"' EXIT
"$STAPRUN" _hotplug.ko >out &
pid=$!
samples() { grep -o "\\b$last:[0-9]*" out | tail -n 1 | cut -d: -f2; }
# reports N: waits for so many more lines of output, each of which has what was counted by then.
reports() { local lines=$(($(wc -l <out) + $1)); eventually 20 eval '[ "$(wc -l <out)" -ge '$lines' ]'; }
more_than() { local now; now=$(samples); [ "${now:-0}" -gt "$1" ]; }
eventually 20 more_than 20
for round in 1 2; do
    echo 0 >"$online"
    reports 3
    off=$(samples)
    reports 5
    is_equal 'samples of a CPU that is off' "$(samples)" "$off"
    echo 1 >"$online"
    eventually 20 more_than $((off + 20))
done
./repeat 121 1
eventually 10 grep -q 'now 0' out
reports 3
off=$(samples)
reports 5
is_equal 'samples without the condition' "$(samples)" "$off"
./repeat 121 1
eventually 20 more_than $((off + 20))
kill -INT $pid
wait $pid
tail -n 1 out
is_equal 'sum' "$(tail -n 1 out)" "clock of $(nproc) CPUs adds up"
