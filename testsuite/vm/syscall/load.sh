# SPDX-License-Identifier: GPL-2.0-or-later
# All system calls of a busy machine are probed, at the call and at the return, with all that can be read, while a condition turns some probes
# off and on: the ledger adds up, nothing is lost, nothing is said in the log. A count taken by another probe of the same tracepoint agrees.
#: long: every system call under load
#: host: "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=8192 -m load "$AREA/_load.stp" >/dev/null
#: timeout: 120
#: records: also
work() {
    for i in 1 2; do
        (for j in $(seq 6); do find /proc/self /etc -maxdepth 1 -type f -exec head -c 10 {} + >/dev/null 2>&1; sh -c 'exit 3' || true; done) &
    done
    wait
}
export -f work
"$STAPRUN" --ledger ledger.json load.ko -c "bash -c work" >out 2>err || { cat out err; fail 'staprun'; }
cat out err
is_equal 'standard error' "$(cat err)" ''
grep -q '"balanced": true' ledger.json || fail 'the ledger does not add up'
grep -Eq '^right 1 calls [0-9]{4,} ' out || fail 'the counts differ'
