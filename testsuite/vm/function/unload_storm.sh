# SPDX-License-Identifier: GPL-2.0-or-later
# A module is unloaded ROUNDS times (default 3) while all processors are in its probed functions, and once while the session ends at
# the same time: no harm, no hit that is counted twice or lost without being told.
#: long: modules are loaded and removed many times
#: requires: debug-info dummy
#: cpus: 4
#: host: cc -O2 -Wall -o flood "$AREA/_flood.c"
#: host: "$STAP" -p4 -r "$R" -m unload_storm "$AREA/_unload_storm.stp" >/dev/null
#: timeout: 300
modprobe -C /dev/null dummy 2>/dev/null || skip "module dummy cannot be loaded here"
rmmod dummy
for i in 1 2 3 4; do nice ./flood & done

up() {
    modprobe -C /dev/null dummy numdummies=1
    ip addr add 10.99.0.1/24 dev dummy0
    ip link set dummy0 up
}
# Enough of the flood has gone through it.
flooded() { [ "$(cat /sys/class/net/dummy0/statistics/tx_packets)" -gt 2000 ]; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

slow_load=0 slow_unload=0
once() { # ROUNDS
    "$STAPRUN" unload_storm.ko --ledger=storm.json >out 2>err &
    pid=$!
    eventually 30 grep -q started out
    for ((i = 0; i < $1; i++)); do
        begun=$(milliseconds)
        up
        loaded=$(milliseconds)
        eventually 30 flooded
        unload=$(milliseconds)
        # Once the session ends while the module goes.
        if (($1 == 1)); then kill -INT $pid; fi
        rmmod dummy
        gone=$(milliseconds)
        ((loaded - begun <= slow_load)) || slow_load=$((loaded - begun))
        ((gone - unload <= slow_unload)) || slow_unload=$((gone - unload))
    done
    kill -INT $pid 2>/dev/null || :
    status=0
    wait $pid || status=$?
    cat out err
    is_equal "status" "$status" 0
    read -r _ calls _ returns _ statements _ shortest < <(grep calls out)
}
once "${ROUNDS:-3}"
[ "$calls" -gt 1000 ] || fail "only $calls hits"
[ "$shortest" -gt 32 ] || fail "a packet of $shortest bytes"
[ "$statements" -gt "$calls" ] || fail "only $statements hits of statements"
[ "$returns" -le "$calls" ] || fail "more returns than calls"
# A call that is under way when its probe comes or goes may be seen by one of them only.
[ $((calls - returns)) -lt $((${ROUNDS:-3} * 8 + 8)) ] || fail "$calls calls but $returns returns"
echo "slowest loading $slow_load ms, unloading $slow_unload ms, with probes" | tee times
once 1
slow_load=0 slow_unload=0
for ((i = 0; i < 3; i++)); do
    begun=$(milliseconds)
    up
    loaded=$(milliseconds)
    eventually 30 flooded
    unload=$(milliseconds)
    rmmod dummy
    gone=$(milliseconds)
    ((loaded - begun <= slow_load)) || slow_load=$((loaded - begun))
    ((gone - unload <= slow_unload)) || slow_unload=$((gone - unload))
done
echo "slowest loading $slow_load ms, unloading $slow_unload ms, without" | tee -a times
