# SPDX-License-Identifier: GPL-2.0-or-later
# A session whose probes take more of a processor than --on-overload=stop allows ends with an error. Else it goes on, and a warning
# comes once when that has lasted for ten seconds.
#: long: waits for ten intervals of a second
#: host: "$STAP" --no-global-var-display -p4 -r "$R" -m heavy -e 'global c probe kernel.function("vfs_read") { for (i = 0; i < 200; i++) c[execname()] <<< 1 } probe end { println("end") } probe error { println("error") }' >/dev/null
#: host: "$STAP" --no-global-var-display -p4 -r "$R" -m light -e 'global n probe timer.s(1) { n++ } probe end { println("end") }' >/dev/null
#: timeout: 200
dd if=/dev/zero of=/dev/null bs=1 &
load=$!
trap 'kill $load' EXIT
status=0
"$STAPRUN" --on-overload=stop:5 heavy.ko >out 2>err || status=$?
is_equal 'the status' "$status" 1
is_equal 'the output' "$(cat out)" error
grep -Eq '^ERROR: probe overhead exceeded threshold: probes took [0-9]+ % of the time of processor [0-9]+, mostly kernel\.function\("vfs_read[^"]*"\); --on-overload=stop ends the session at 5 %$' err ||
    fail "stderr: $(cat err)"

"$STAPRUN" --ledger ledger --duration 14 heavy.ko >out 2>err || fail "status $?: $(cat err)"
is_equal 'the output' "$(cat out)" end
is_equal 'the warnings' "$(grep -Ec '^WARNING: probes take [0-9]+ % of the time of processor [0-9]+, mostly kernel\.function\("vfs_read[^"]*"\); -t shows' err)" 1
is_equal 'all of stderr' "$(wc -l <err)" 1
grep -Eq '"overhead": {"ns": [1-9][0-9]*, "handlers_ns": [1-9][0-9]*, "armed_ns": [1-9][0-9]*}' ledger || fail "$(cat ledger)"

# A probe that takes nothing worth a word.
"$STAPRUN" --on-overload=stop:5 --duration 3 light.ko >out 2>err || fail "status $?: $(cat err)"
is_equal 'stderr' "$(cat err)" ''
