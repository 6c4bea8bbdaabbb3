# SPDX-License-Identifier: GPL-2.0-or-later
# A report of a timer that the session thread runs waits for its reader and loses nothing; it finishes after the first signal, and is
# given up at the second one.
#: stap: -g --suppress-time-limits
#: scripts: _long_report.stp _endless_report.stp
#: timeout: 120
#: records: no, it fills the buffers of output
wait_for() {
    status=0
    wait "$1" || status=$?
}

"$STAPRUN" --limit BUFFER_BYTES=65536 --ledger=ledger1 _long_report.ko >out1 2>err1 &
pid=$!
eventually 30 grep -q '^WARNING: report runs$' err1
kill -TERM $pid
wait_for $pid
is_equal 'exit status' $status 0
reports=$(grep -c '^report ends$' out1)
is_equal 'lines' "$(grep -c '^line [0-9]* of a report that is larger than all buffers$' out1)" $((60000 * reports))
is_equal 'the last lines' "$(tail -n 2 out1)" 'report ends
end'
grep -q '"balanced": true' ledger1 || fail 'the ledger does not balance'

"$STAPRUN" --ledger=ledger2 _endless_report.ko >out2 2>err2 &
pid=$!
eventually 30 grep -q '^WARNING: report runs$' err2
kill -TERM $pid
sleep 1
kill -0 $pid || fail 'the first signal ended it'
kill -TERM $pid
wait_for $pid
grep -q '^WARNING: probe timer.ms(50) was interrupted$' err2 || fail "the report was not given up: $(cat err2)"
is_equal 'the last line' "$(tail -n 1 out2)" end
