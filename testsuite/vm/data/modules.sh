# SPDX-License-Identifier: GPL-2.0-or-later
# A variable of a module is watched from before the module's parameters are set until it is unloaded, each time it is loaded.
# An emulated processor may report one write twice, so the processes that write are counted.
#: host: "$STAP" -p4 -r "$R" -m parameter -e 'global pids, names probe begin { println("started") } probe kernel.data("dummy:numdummies").length(4).write { pids[pid()] = 1; names[execname()]++ } probe end { n = 0; foreach (p in pids) n++; printf("written by %d processes\n", n); foreach (name in names) println(name) }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m missing -e 'probe kernel.data("dummy:no_such_variable").write { }' >/dev/null
modprobe dummy 2>/dev/null || skip "module dummy cannot be loaded here"
if "$STAPRUN" missing.ko >out 2>&1; then fail "it starts without the symbol"; fi
grep -Fqx "ERROR: probe kernel.data(\"dummy:no_such_variable\").write registration error: the module has no symbol 'no_such_variable'" out || { cat out; fail "it does not say what is missing"; }
rmmod dummy

"$STAPRUN" parameter.ko --ledger=ledger.json >out 2>err &
pid=$!
eventually 20 grep -q started out
sleep 1
for i in 1 2 3 4 5; do
    modprobe dummy numdummies=$i
    rmmod dummy
done
kill -INT $pid
wait $pid || fail "status $?"
cat out err
is_equal "messages" "$(cat err)" ""
is_equal "output" "$(cat out)" "started
written by 5 processes
modprobe"

"$STAPRUN" parameter.ko -T 1 >out 2>err || fail "it does not run without the module"
is_equal "messages" "$(cat err)" "WARNING: module 'dummy' was not loaded while the script ran: its probes were not hit"
