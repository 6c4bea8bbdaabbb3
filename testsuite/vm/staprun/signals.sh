# SPDX-License-Identifier: GPL-2.0-or-later
# Signals end a session in order: end probes run, and it counts as success.
#: timeout: 180
#: scripts: _quiet.stp
. "$AREA/_common.sh"
for signal in INT TERM HUP; do
    rm -f out
    "$STAPRUN" _quiet.ko >out 2>err &
    pid=$!
    starts out
    kill -$signal $pid
    wait_for $pid
    is_equal "exit status after $signal" $status 0
    is_equal "output with $signal" "$(cat out)" "begin nothing 0
end"
    is_equal "messages with $signal" "$(cat err)" ''
    is_gone _quiet || fail 'the module is still there'
done
