# SPDX-License-Identifier: GPL-2.0-or-later
# The target command: starts when the probes are armed, its end is the session's end, its status counts.
#: timeout: 180
#: scripts: _quiet.stp
#: records: no, it looks at the process of staprun
. "$AREA/_common.sh"
run "$STAPRUN" -c 'echo from the target' _quiet.ko >out 2>err
is_equal 'exit status' $status 0
is_equal 'order' "$(sed 's/[0-9][0-9]*/PID/' out)" 'begin nothing PID
from the target
end'
run "$STAPRUN" -c 'sh -c "exit 7"' _quiet.ko >out 2>err
is_equal 'exit status' $status 1
is_equal 'message' "$(cat err)" 'WARNING: Child process exited with status 7'
# With --command-status the caller can tell that the session did well.
run "$STAPRUN" --command-status -c 'sh -c "exit 7"' _quiet.ko >out 2>err
is_equal 'exit status' $status 4
is_equal 'message' "$(cat err)" 'WARNING: Child process exited with status 7'
run "$STAPRUN" --command-status -c true _quiet.ko >out 2>err
is_equal 'exit status' $status 0
TAPIR_MESSAGES=terminal run "$STAPRUN" --command-status -c false _quiet.ko >out 2>err
is_equal 'message for people' "$(cat err)" 'notice: the command exited with status 1'
run "$STAPRUN" -c 'kill -9 $$' _quiet.ko >out 2>err
is_equal 'exit status' $status 1
is_equal 'message' "$(cat err)" 'WARNING: Child process exited with signal 9 (Killed)'
run "$STAPRUN" -c 'echo $SYSTEMTAP_MODULE' _quiet.ko >out
grep -q '^_quiet$' out || fail 'SYSTEMTAP_MODULE is not set'
run "$STAPRUN" -c 'no-such-program' _quiet.ko >out 2>err
is_equal 'exit status' $status 1
is_equal 'message' "$(cat err)" "ERROR: Couldn't run 'no-such-program': command not found"
is_equal 'output' "$(cat out)" ''
# The session ends first: so does the target.
run timeout $((10 * PATIENCE)) "$STAPRUN" --duration 0.5 -c 'sleep 1000' _quiet.ko >out 2>err
is_equal 'exit status' $status 0
pgrep -f 'sleep 1000' >/dev/null && fail 'the target is still running'
run "$STAPRUN" -x 1 --duration 0.2 _quiet.ko >out
grep -q '^begin nothing 1$' out || fail 'target() is not what -x says'
run "$STAPRUN" -x 4194304 --duration 0.2 _quiet.ko >out 2>err
is_equal 'exit status' $status 1
is_equal 'message' "$(cat err)" 'ERROR: -x: there is no process 4194304'
