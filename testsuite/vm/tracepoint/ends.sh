# SPDX-License-Identifier: GPL-2.0-or-later
# A module with probed tracepoints is unloaded while the session ends, ROUNDS times (default 12), a bit sooner or later each time.
#: long: many rounds beside load
#: host: "$STAP" -r "$R" -l 'module("watchdog").trace("watchdog_stop")' >/dev/null 2>&1 && "$STAP" -p4 -r "$R" -m ends -e 'global n probe module("watchdog").trace("watchdog_st*"), module("watchdog").trace("watchdog_[ps]*"), kernel.trace("watchdog:*") { n <<< 1 } probe end { println(@count(n) > 0) }' >/dev/null || :
#: timeout: 200
#: records: also
[ -e ends.ko ] || skip "the tracepoints of module watchdog are not known here"
modprobe softdog soft_noboot=1 2>/dev/null || skip "module softdog cannot be loaded here"
modprobe -r softdog
[ ! -e /sys/module/watchdog ] || skip "module watchdog cannot be unloaded here"

for ((i = 0; i < ${ROUNDS:-12}; i++)); do
    modprobe softdog soft_noboot=1
    "$STAPRUN" ends.ko >out 2>err &
    pid=$!
    eventually 20 is_armed ends
    eventually 10 test -e /dev/watchdog
    printf V >/dev/watchdog
    (
        sleep 0.0$((i * 3 % 10))
        modprobe -r softdog
    ) &
    unload=$!
    sleep 0.0$((i * 7 % 10))
    kill -INT $pid
    status=0
    wait $pid || status=$?
    wait $unload || fail "the module could not be unloaded"
    is_equal "status" "$status" 0
    is_equal "messages" "$(cat err)" ""
    is_equal "hits" "$(tail -n 1 out)" 1
done
