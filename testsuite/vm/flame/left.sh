# SPDX-License-Identifier: GPL-2.0-or-later
# A user who leaves a session before it ends gets neither a capture nor a picture, and is told so; nor does one who attaches.
#: host: "$STAP" -p4 -r "$R" -m ticks -e '@profile("ticks", "") probe begin { println("begin") } probe timer.profile { @sample(stacks(), 1) }' >/dev/null
#: timeout: 60
#: records: no, it makes pictures
. "$AREA/../staprun/_common.sh"
"$STAPRUN" ticks.ko --record run.tapir -o run-%%.svg >out 2>err &
pid=$!
starts out
[ -e run.tapir ] || fail 'the capture is not opened at the start'
kill -QUIT $pid
wait_for $pid
is_equal 'exit status after SIGQUIT' $status 1
reason='the session goes on, and staprun leaves it before its samples can be read. SIGINT ends a session and keeps them'
is_equal 'messages' "$(cat err)" "Disconnecting from systemtap module.
To reconnect, type \"staprun -A ticks\"
ERROR: there is no capture 'run.tapir': $reason
ERROR: there is no picture 'run-%.svg': $reason"
is_equal 'files' "$(ls | grep '^run')" ''
is_loaded ticks || fail 'the module is gone'
for option in --record=run.tapir '-o run.svg'; do
    run "$STAPRUN" -A ticks $option 2>err
    is_equal "exit status of -A $option" $status 1
    grep -q 'ERROR: -A and .* exclude each other: only the staprun that started the session' err || fail "$(cat err)"
    is_equal 'files' "$(ls | grep '^run')" ''
done
"$STAPRUN" -d ticks

# Three signals at once: the module may have ended the session by then or not, but no capture looks complete and has no samples.
rm out
"$STAPRUN" ticks.ko --record run.tapir >out 2>err &
pid=$!
starts out
kill -STOP $pid
kill -INT $pid
kill -TERM $pid
kill -HUP $pid
kill -CONT $pid
wait_for $pid
is_equal 'exit status after three signals' $status 1
if [ -e run.tapir ]; then
    "$BIN/stap-report" run.tapir --accept-partial -o run.folded 2>/dev/null
    grep -q '^[^#].* [0-9]*$' run.folded || fail "no samples, after '$(cat err)'"
else
    grep -q '^ERROR: the session was left before it had ended: its samples are lost$' err || fail "$(cat err)"
fi
