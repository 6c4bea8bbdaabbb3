# SPDX-License-Identifier: GPL-2.0-or-later
# A begin or end handler that loops without printing ends with ^C, or with staprun, with any budget; it says so.
#: long: many rounds beside load
#: scripts: _busy.stp
#: stap: -D MAXACTION_INTERRUPTIBLE=9223372036854775807
#: timeout: 120
#: records: also
functions() { cut -d' ' -f1 /sys/kernel/tracing/enabled_functions; }
unloaded() { ! grep -q '^_busy ' /proc/modules; }
untraced() { [ -z "$(functions)" ]; }
begins() {
    rm -f out err
    "$STAPRUN" _busy.ko "$@" >out 2>err &
    pid=$!
    eventually 20 grep -q begin out
}
finished() { ! kill -0 $pid 2>/dev/null; }
interrupted() { grep -qx "WARNING: probe $1 was interrupted" err || fail "stderr: $(cat err)"; }
# In a begin handler: the later ones do not run, end probes do.
for where in begin function; do
    begins where=$where
    sleep 0.5
    kill -INT $pid
    eventually 5 finished
    wait $pid || fail "exit status $?"
    is_equal 'output' "$(tr '\n' ' ' <out)" 'begin end last '
    interrupted "begin$([ $where = function ] || echo '(-1)')"
done
# In an end handler: the first signal is for the probes, the second for the handler.
begins where=end
eventually 20 grep -q later out
kill -INT $pid
eventually 20 grep -q end out
eventually 5 untraced
sleep 0.5
finished && fail 'the end probe did not have its time'
kill -INT $pid
eventually 5 finished
wait $pid || fail "exit status $?"
is_equal 'output' "$(tr '\n' ' ' <out)" 'begin later end last '
interrupted end
# The loader dies.
for where in begin end; do
    begins where=$where
    [ $where = begin ] || { eventually 20 grep -q later out && kill -INT $pid && eventually 20 grep -q end out; }
    kill -KILL $pid
    wait $pid 2>/dev/null || :
    before=$(date +%s%N)
    "$STAPRUN" -d _busy
    echo "$where: removed after $((($(date +%s%N) - before) / 1000000)) ms"
    eventually 5 unloaded
done
# The module is removed under the handler, after its loader has left it.
begins where=end
eventually 20 grep -q later out
kill -QUIT $pid
eventually 5 finished
wait $pid || :
rmmod _busy
unloaded || fail 'still there'
# The end of a budget is an error, even if the handler got it in parts.
"$STAPRUN" _busy.ko --limit MAXACTION_INTERRUPTIBLE=100000 where=begin >out 2>err && fail 'no error'
grep -q '^ERROR: MAXACTION exceeded near .* in probe begin(-1) (a handler may run 100000 statements)$' err || fail "stderr: $(cat err)"
