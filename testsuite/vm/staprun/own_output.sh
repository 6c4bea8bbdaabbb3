# SPDX-License-Identifier: GPL-2.0-or-later
# A script that prints about staprun, which delivers what it prints, never ends printing. That is told once, with what to do; who does that is
# told nothing, and gets nothing of staprun.
#: scripts: _own_output.stp _own_output_left_out.stp
#: timeout: 120
#: records: no, it looks at the process of staprun
start() { # NAME
    "$STAPRUN" "$1.ko" >out 2>err &
    staprun=$!
    eventually 30 is_armed "$1"
    for _ in $(seq 100); do echo >/dev/null; done
}
finish() {
    kill -INT $staprun
    wait $staprun || fail "staprun ended with $?: $(cat err)"
}
start _own_output
eventually 60 grep -q 'leave it out, begin the handler with: if (is_tracer()) next$' err
finish
is_equal 'lines on standard error' "$(wc -l <err)" 1
[ "$(grep -c '^staprun writes$' out)" -ge 50 ] || fail "staprun was seen $(grep -c '^staprun' out) times"
start _own_output_left_out
hundred() { [ "$(grep -c '^bash writes$' out)" -ge 100 ]; }
eventually 60 hundred
finish
is_equal 'standard error' "$(cat err)" ''
is_equal 'lines about staprun' "$(grep -c '^staprun' out || true)" 0
grep -qE '^own [1-9]' out || fail "staprun did not hit the probe: $(tail -n 1 out)"
