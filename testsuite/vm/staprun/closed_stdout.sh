# SPDX-License-Identifier: GPL-2.0-or-later
# The session ends by itself when its output has no reader any more.
#: long: many sessions whose reader goes
#: timeout: 180
#: scripts: _flood.stp _quiet.stp
. "$AREA/_common.sh"
make_load
{ run "$STAPRUN" _flood.ko 2>err; echo $status >status; } | head -n 1 >out
is_equal 'lines' "$(wc -l <out)" 1
eventually 30 test -s status
is_equal 'exit status' "$(cat status)" 1
grep -q '^WARNING: the reader of stdout has gone; stopping$' err || fail 'no message'
is_gone _flood || fail 'the module is still there'

# Even when there is nothing to write.
{ run "$STAPRUN" _quiet.ko 2>err; echo $status >status2; } | head -n 1 >out
eventually 30 test -s status2
is_gone _quiet || fail 'the module is still there'

run "$STAPRUN" _flood.ko >&- 2>err
is_equal 'exit status' $status 1
grep -q "^ERROR: Couldn't write to stdout: Bad file descriptor$" err || fail 'no message'
is_gone _flood || fail 'the module is still there'
