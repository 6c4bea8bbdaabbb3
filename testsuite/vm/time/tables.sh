# SPDX-License-Identifier: GPL-2.0-or-later
# Globals that are displayed at the end and the report of -t: tables on a terminal, SystemTap's lines in a pipe and with --compatible.
# The numbers are what dd was told to write: 2,500 times, 64 * 2,000 + 3,000 * 500 bytes.
#: scripts: _tables.stp
#: requires: program script
#: records: no, records have the figures of -t in the ledger
cat >load <<'END'
dd if=/dev/zero of=/dev/null bs=64 count=2000 status=none
dd if=/dev/zero of=/dev/null bs=3000 count=500 status=none
END
cat >lines <<'END'
writes["dd"] @count=2500 @min=64 @max=3000 @sum=1628000 @avg=651
n=2500
----- probe hit report: 
END
cat >tables <<'END'
writes  COUNT        SUM  MIN  AVG    MAX
dd      2,500  1,628,000   64  651  3,000

GLOBAL  VALUE
n       2,500

END
# The rest of what was printed, by the name of its file: two lines for the handlers of vfs_write and of the end.
is_report() {
    is_equal "the report in $1" "$(tail -n +4 "$1" |
        grep -cE '^(kernel.function|end).*, hits: [0-9]+, nsecs: [0-9]+min/[0-9]+avg/[0-9]+max, index: [0-9]$')" 3
    is_equal "lines in $1" "$(wc -l <"$1")" 6
}

on_terminal() {
    script -qec "stty cols 120; exec '$STAPRUN' $* -t -c 'sh load' _tables.ko" /dev/null </dev/null | tr -d '\r'
}

"$STAPRUN" -t -c 'sh load' _tables.ko | cat >pipe
head -n 3 pipe | diff lines - || fail 'in a pipe'
is_report pipe
on_terminal --compatible >compatible
head -n 3 compatible | diff lines - || fail 'with --compatible'
is_report compatible

on_terminal >terminal
head -n 6 terminal | diff tables - || fail 'on a terminal'
tail -n +7 terminal >timing
head -n 1 timing | grep -qE '^PROBE +WHERE +HITS +MISSED +MIN +MEAN +MAX +SHARE OF CPU$' || fail "$(cat timing)"
hits=$(sed -n 's/^kernel.function.*_tables.stp:3:1 *\([0-9,]*\) .*/\1/p' timing | tr -d ,)
[ "$hits" -ge 2500 ] || fail "hits: $(cat timing)"
grep -qE '^kernel.function.* [0-9.]+ %$' timing || fail "no share: $(cat timing)"
! grep '^end .*%' timing || fail 'what runs at the end has a share'
all=$(sed -n 's/^ledger: \([0-9,]*\) hits = \([0-9,]*\) handled + 0 skipped; .* written, 0 lost$/\1 \2/p' timing | tr -d ,)
[ -n "$all" ] || fail "no ledger, or one with losses: $(cat timing)"
is_equal 'all hits' "$all" "$((hits + 2)) $((hits + 2))"
