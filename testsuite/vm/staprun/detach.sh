# SPDX-License-Identifier: GPL-2.0-or-later
# Sessions that go on without a loader: SIGQUIT, -L, -A, -d.
# Tags: NotLoaded, SessionBusy.
#: timeout: 180
#: scripts: _quiet.stp
#: records: no, it looks at the process of staprun
. "$AREA/_common.sh"
farewell='Disconnecting from systemtap module.
To reconnect, type "staprun -A _quiet"'

rm -f out
"$STAPRUN" _quiet.ko word=first >out 2>err &
pid=$!
starts out
kill -QUIT $pid
wait_for $pid
is_equal 'exit status after SIGQUIT' $status 0
is_equal 'farewell' "$(cat err)" "$farewell"
is_equal 'output' "$(cat out)" 'begin first 0'
is_loaded _quiet || fail 'the module is gone'

run "$STAPRUN" -d '*'
is_equal "exit status of -d '*'" $status 0
is_loaded _quiet || fail "-d '*' removed a running session"

rm -f out
"$STAPRUN" -A _quiet >out 2>err &
pid=$!
attached() { readlink /proc/$pid/fd/* | grep -qx /proc/tapir-_quiet/control; }
eventually 30 attached
run "$STAPRUN" -A _quiet 2>err2
is_equal 'exit status of a second reader' $status 1
is_equal 'its message' "$(cat err2)" "ERROR: another staprun is attached to module '_quiet'"
run "$STAPRUN" -d _quiet 2>err2
is_equal 'exit status of -d' $status 1
is_equal 'its message' "$(cat err2)" "ERROR: Couldn't remove module '_quiet': a staprun is attached to it; end that one first"
kill -INT $pid
wait_for $pid
is_equal 'exit status after -A' $status 0
is_equal 'output' "$(cat out)" 'end'
is_gone _quiet || fail 'the module is still there'

"$STAPRUN" -L _quiet.ko word=second 2>err
is_equal 'farewell' "$(cat err)" "$farewell"
is_loaded _quiet || fail 'the module is gone'
rm -f out
"$STAPRUN" -A _quiet >out &
pid=$!
starts out
kill -INT $pid
wait_for $pid
is_equal 'exit status' $status 0
is_equal 'output after -L' "$(cat out)" 'begin second 0
end'

"$STAPRUN" -L _quiet.ko 2>err
"$STAPRUN" -d _quiet
is_gone _quiet || fail 'the module is still there'
run "$STAPRUN" -d _quiet 2>err
is_equal 'exit status' $status 1
is_equal 'message' "$(cat err)" "ERROR: Couldn't remove module '_quiet': it is not loaded, or not a module made by Tapir"
run "$STAPRUN" -A _quiet 2>err
is_equal 'message' "$(cat err)" "ERROR: module '_quiet' is not loaded, or not a module made by Tapir"
