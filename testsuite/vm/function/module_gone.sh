# SPDX-License-Identifier: GPL-2.0-or-later
# A module that is unloaded while its functions are probed: no hit afterwards, also when it comes back, and nothing is harmed.
#: requires: file /usr/lib/debug/lib/modules/$R/kernel/drivers/net/dummy.ko
#: host: [ ! -e /usr/lib/debug/lib/modules/$R/kernel/drivers/net/dummy.ko ] || "$STAP" -p4 -r "$R" -m gone -e 'global n, r probe begin { println("started") } probe module("dummy").function("dummy_setup").call { n++ } probe module("dummy").function("dummy_setup").return { r++ } probe end { printf("entries %d returns %d\n", n, r) }' >/dev/null
modprobe dummy 2>/dev/null || skip "module dummy cannot be loaded here"
"$STAPRUN" gone.ko >out 2>err &
pid=$!
eventually 20 grep -q started out
sleep 1
ip link add tapir_a type dummy
ip link add tapir_b type dummy
ip link del tapir_a
ip link del tapir_b
rmmod dummy
modprobe dummy
ip link add tapir_c type dummy
ip link del tapir_c
kill -INT $pid
status=0
wait $pid || status=$?
cat out err
is_equal "status" "$status" 0
grep -qx 'entries 2 returns 2' out || fail "wrong hits"
rmmod dummy
if "$STAPRUN" gone.ko >out 2>&1; then fail "it starts without the module"; fi
grep -q "module 'dummy' is not loaded" out || { cat out; fail "it does not say what is missing"; }
