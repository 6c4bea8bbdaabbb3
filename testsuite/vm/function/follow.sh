# SPDX-License-Identifier: GPL-2.0-or-later
# A module that is loaded, used and unloaded ROUNDS times (default 10) while all kinds of probes wait for it: every hit is there, of
# its initialisation too, with the right values; nothing is hit in its place when it is away.
#: long: modules are loaded and removed many times
#: requires: debug-info dummy
#: host: "$STAP" -p4 -r "$R" -m follow "$AREA/_follow.stp" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m never -e 'probe module("dummy").function("dummy_setup").call { println("hit") } probe kprobe.module("no_such").function("f") ? { println("hit") } probe timer.s(1) { exit() }' >/dev/null
#: timeout: 200
modprobe -C /dev/null dummy 2>/dev/null || skip "module dummy cannot be loaded here"
rmmod dummy
rounds=${ROUNDS:-10}

# A module that never comes is no error, but told of.
"$STAPRUN" never.ko --ledger=never.json >out 2>err || { cat err; fail "it does not run without the module"; }
is_equal "output" "$(cat out)" ""
is_equal "messages" "$(cat err)" "WARNING: module 'dummy' was not loaded while the script ran: its probes were not hit"
grep -A3 dummy_setup never.json | grep -q '"attached": 0' || { cat never.json; fail "it claims to be attached"; }

"$STAPRUN" follow.ko --ledger=follow.json >out 2>err &
pid=$!
eventually 20 is_armed follow
wanted=0
sent=0
for ((i = 0; i < rounds; i++)); do
    more=$((i % 3))
    modprobe -C /dev/null dummy numdummies=$more
    ip link add "tapir_$i" type dummy
    ip addr add 10.99.0.1/24 dev "tapir_$i"
    ip link set "tapir_$i" up
    for ((k = 0; k < 25; k++)); do
        printf '%0100d' 7 >/dev/udp/10.99.0.2/9 && sent=$((sent + 1))
    done
    wanted=$((wanted + more))
    ip link del "tapir_$i"
    rmmod dummy
done
kill -INT $pid
status=0
wait $pid || status=$?
cat out err
cat follow.json
is_equal "status" "$status" 0
is_equal "messages" "$(cat err)" ""
devices=$((rounds + wanted))
grep -qx "inits $rounds exits $rounds devices $devices $devices finished $devices failed 0 wanted $wanted odd [0-9]*" out || fail "wrong hits"
[ "$(sed -n 's/.* odd //p' out)" -gt 0 ] || fail "the module's variable was never seen"
[ "$(sed -n 's/^places per device //p' out)" -gt 3 ] || fail "too few places"
is_equal "packets" "$(grep packets out)" "packets $sent kept $sent"
[ "$sent" -eq $((rounds * 25)) ] || fail "only $sent packets were sent"
for ((i = 0; i < rounds; i++)); do grep -qx "tapir_$i 1" out || fail "wrong name"; done
! grep -q '"missed": [1-9]' follow.json || fail "hits were missed"
