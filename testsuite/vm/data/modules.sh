# SPDX-License-Identifier: GPL-2.0-or-later
# A variable of a module is watched from before the module's parameters are set until it is unloaded, each time it is loaded.
# Modules are loaded without the options that the machine may have for them.
#: host: "$STAP" -p4 -r "$R" -m parameter -e 'global n, names probe begin { println("started") } probe kernel.data("dummy:numdummies").length(4).write { n++; names[execname()]++ } probe end { printf("writes %d\n", n); foreach (name in names) println(name) }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m missing -e 'probe kernel.data("dummy:no_such_variable").write { }' >/dev/null
modprobe -C /dev/null dummy 2>/dev/null || skip "module dummy cannot be loaded here"
if "$STAPRUN" missing.ko >out 2>&1; then fail "it starts without the symbol"; fi
grep -Fqx "ERROR: probe kernel.data(\"dummy:no_such_variable\").write registration error: the module has no symbol 'no_such_variable'" out || { cat out; fail "it does not say what is missing"; }
rmmod dummy

"$STAPRUN" parameter.ko --ledger=ledger.json >out 2>err &
pid=$!
eventually 20 is_armed parameter
for i in 1 2 3 4 5; do
    modprobe -C /dev/null dummy numdummies=$i
    rmmod dummy
done
kill -INT $pid
wait $pid || fail "status $?"
cat out err
is_equal "messages" "$(cat err)" ""
is_equal "output" "$(cat out)" "started
writes 5
modprobe"

"$STAPRUN" parameter.ko --duration 1 >out 2>err || fail "it does not run without the module"
is_equal "messages" "$(cat err)" "WARNING: module 'dummy' was not loaded while the script ran: its probes were not hit"
