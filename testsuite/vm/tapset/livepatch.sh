# SPDX-License-Identifier: GPL-2.0-or-later
# Switches of a repairing script: by its files, for a time, and its metrics.
#: stap: -g
#: scripts: _livepatch.stp
#: host: cc -O2 -static -o caller "$AREA/_livepatch.c"
pipe=$(mktemp -u /run/pipe.XXXXXX)
mkfifo "$pipe"
exec 3<>"$pipe"
"$STAPRUN" _livepatch.ko -c ./caller <"$pipe" >out &
staprun=$!
eventually 20 grep -q ready out
cp /bin/true watcher
files=/proc/systemtap/_livepatch
is_equal 'switched on' "$(cat $files/cve_enabled_p $files/cve_fix_p $files/cve_tmpdisabled_s | tr '\n' ' ')" '1 1 -1 '
echo >&3
eventually 10 grep -q '^called 1$' out
eventually 10 grep -q 'enabled again' out
echo 0 >$files/cve_trace_p
# The probe is armed a while after its condition holds again.
watched() { ./watcher && sed '1,/enabled again/d' out | grep -q watching; }
eventually 20 watched
echo >&3
eventually 10 grep -q '^called 2$' out
eventually 10 test "$(cat $files/cve_enabled_p)" = 0
metrics=$(cat $files/__prometheus)
eventually 20 bash -c '[ "$(grep -c "enabled again" out)" = 2 ]'
echo 5 >$files/cve_tmpdisabled_s
is_equal 'switched off' "$(cat $files/cve_enabled_p)" 0
echo >&3
eventually 10 grep -q '^called 3$' out
echo "$metrics"
is_equal 'metrics' "$(echo "$metrics" | sort | sed 's/^\(.*"runtime".*\) [0-9]*$/\1/')" '_livepatch{metric="answer"} 42
_livepatch{metric="calls"} 2
_livepatch{metric="runtime"}'
echo >&3
wait $staprun
cat out
is_equal 'told' "$(grep -v '^called\|^watching$' out)" '_livepatch: mitigation loaded
ready
seen
_livepatch: disabled
_livepatch: enabled again
_livepatch: disabled
_livepatch: enabled again
_livepatch: mitigation unloaded'
