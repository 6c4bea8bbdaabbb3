# SPDX-License-Identifier: GPL-2.0-or-later
# Tracepoints of a module that is loaded, used and unloaded ROUNDS times (default 10), with their arguments.
#: long: modules are loaded and removed many times
#: host: "$STAP" -r "$R" -l 'module("watchdog").trace("watchdog_stop")' >/dev/null 2>&1 && "$STAP" -p4 -r "$R" -m dog "$AREA/_modules.stp" >/dev/null || :
#: host: "$STAP" -r "$R" -l 'module("watchdog").trace("watchdog_stop")' >/dev/null 2>&1 && "$STAP" -p4 -r "$R" -m never -e 'probe module("watchdog").trace("watchdog_stop") { println("hit") } probe timer.s(1) { exit() }' >/dev/null || :
#: timeout: 200
#: records: also
[ -e dog.ko ] || skip "the tracepoints of module watchdog are not known here"
modprobe softdog soft_noboot=1 2>/dev/null || skip "module softdog cannot be loaded here"
modprobe -r softdog
[ ! -e /sys/module/watchdog ] || skip "module watchdog cannot be unloaded here"
rounds=${ROUNDS:-10}

"$STAPRUN" never.ko >out 2>err || { cat err; fail "it does not run without the module"; }
is_equal "messages" "$(cat err)" "WARNING: probe module(\"watchdog\").trace(\"watchdog:watchdog_stop\") was not hit: module 'watchdog' was not loaded while the script ran, or has no such tracepoint"

# One that is there at the start.
modprobe softdog soft_noboot=1 soft_margin=42
"$STAPRUN" dog.ko --ledger=dog.json >out 2>err &
pid=$!
eventually 20 is_armed dog
for ((i = 0; i < rounds; i++)); do
    [ -e /sys/module/softdog ] || modprobe softdog soft_noboot=1 soft_margin=42
    eventually 10 test -e /dev/watchdog
    printf V >/dev/watchdog
    modprobe -r softdog
done
kill -INT $pid
status=0
wait $pid || status=$?
cat out err dog.json
is_equal "status" "$status" 0
is_equal "messages" "$(cat err)" ""
read -r _ starts _ stops _ any _ conditional _ failed _ timeout < <(grep starts out)
is_equal "stops" "$stops" "$rounds"
[ "$starts" -ge "$rounds" ] || fail "$starts starts"
is_equal "starts and stops" "$any" $((starts + stops))
is_equal "every fourth stop" "$conditional" $(((rounds + 1) / 4))
is_equal "failures and timeout" "$failed $timeout" "0 42"
! grep -q '"missed": [1-9]' dog.json || fail "hits were missed"
