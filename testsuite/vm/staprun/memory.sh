# SPDX-License-Identifier: GPL-2.0-or-later
# What a session takes while it is armed, by the kernel's account, on few of many possible processors; and one that comes online then.
#: append: maxcpus=1 possible_cpus=64
#: scripts: _memory_silent.stp _memory_prints.stp
#: long: a boot of its own
#: timeout: 180
cpu=/sys/devices/system/cpu
is_equal 'possible processors' "$(cat $cpu/possible)" 0-63
free_kb() {
    sync
    echo 3 >/proc/sys/vm/drop_caches
    awk '/^MemFree:/ { print $2 }' /proc/meminfo
}
# session NAME: starts it; `taken` is what the machine has less then, in KB, the smallest of three times.
session() {
    local before now
    taken=
    for _ in 1 2 3; do
        [ -z "$taken" ] || { kill -INT $pid; wait $pid; }
        before=$(free_kb)
        "$STAPRUN" "$1.ko" >"$1.out" &
        pid=$!
        eventually 20 is_armed "$1"
        sleep 1
        now=$(free_kb)
        [ -n "$taken" ] && [ $((before - now)) -ge "$taken" ] || taken=$((before - now))
    done
}
fork_on() { taskset -c "$1" bash -c '(:) & wait'; }
for online in 1 2; do
    [ $online = 1 ] || { echo 1 >$cpu/cpu1/online; }
    session _memory_silent
    silent=$taken
    echo "online $online: silent $silent KB" | tee -a sizes
    # The loader itself has a part of it, of 3 MB or so.
    [ "$silent" -le 9000 ] || fail "a session that prints nothing takes $silent KB"
    # A processor that was never there before: it has what handlers need.
    [ $online = 1 ] || { echo 1 >$cpu/cpu2/online; fork_on 2; fork_on 2; }
    kill -INT $pid
    wait $pid
    session _memory_prints
    echo "online $online: prints $taken KB" | tee -a sizes
    [ $online = 1 ] || { echo 1 >$cpu/cpu3/online; fork_on 3; eventually 20 grep -qx 'fork on 3' _memory_prints.out; }
    kill -INT $pid
    wait $pid
done
grep -q '^cpu 2: [2-9]' _memory_silent.out || { cat _memory_silent.out; fail 'hits on the processor that came are missing'; }
