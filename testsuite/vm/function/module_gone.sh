# SPDX-License-Identifier: GPL-2.0-or-later
# Modules are loaded without the options that the machine may have for them.
# A module that is loaded at the start and is unloaded while its functions are probed; when it comes back they are probed again. Code
# that had run before is waited for.
#: long: modules are loaded and removed many times
#: requires: debug-info dummy
#: host: "$STAP" -p4 -r "$R" -m gone -e 'global n, r, i probe begin { println("started") } probe module("dummy").function("dummy_setup").call { n++ } probe module("dummy").function("dummy_setup").return { r++ } probe module("dummy").function("dummy_init_module").call { i++ } probe kprobe.module("dummy").function("dummy_dev_init") { printf("device %s\n", kernel_string($dev->name)) } probe end { printf("entries %d returns %d inits %d\n", n, r, i) }' >/dev/null
# A module without a file is examined when it is loaded.
#: host: "$STAP" -p4 -r "$R" -m tapir_mine -e 'probe begin { println("there") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m symbol -e 'probe kprobe.module("tapir_mine").function("no_such_function") { }' >/dev/null
modprobe -C /dev/null dummy 2>/dev/null || skip "module dummy cannot be loaded here"
"$STAPRUN" gone.ko >out 2>err &
pid=$!
eventually 20 is_armed gone
ip link add tapir_a type dummy
ip link add tapir_b type dummy
ip link del tapir_a
ip link del tapir_b
rmmod dummy
modprobe -C /dev/null dummy
ip link add tapir_c type dummy
ip link del tapir_c
kill -INT $pid
status=0
wait $pid || status=$?
cat out err
is_equal "status" "$status" 0
grep -qx 'entries 4 returns 4 inits 1' out || fail "wrong hits"
is_equal "parameters, by the module's BTF" "$(grep '^device tapir_' out | paste -sd' ')" "device tapir_a device tapir_b device tapir_c"
grep -q '^WARNING: probe module("dummy").function("dummy_init_module@.*").call: its code only initialises the module, which was done before; it waits for the module to be loaded again$' err || fail "it does not say what it waits for"

rmmod dummy

"$STAPRUN" tapir_mine.ko >mine &
mine=$!
eventually 20 grep -q there mine
if "$STAPRUN" symbol.ko >out 2>&1; then fail "it starts without the symbol"; fi
grep -q "^ERROR: probe kprobe.module(\"tapir_mine\").function(\"no_such_function\") registration error: the module has no symbol 'no_such_function'$" out || { cat out; fail "it does not say what is missing"; }
kill -INT $mine
wait $mine
"$STAPRUN" symbol.ko >out 2>err &
pid=$!
eventually 20 is_armed symbol
rm mine
"$STAPRUN" tapir_mine.ko >mine &
mine=$!
eventually 20 grep -q there mine
kill -INT $mine
wait $mine
kill -INT $pid
wait $pid || fail "a symbol that is missing later ends the session"
is_equal "messages" "$(cat err)" "WARNING: probe kprobe.module(\"tapir_mine\").function(\"no_such_function\") stays off: the module was loaded without a symbol 'no_such_function'"
