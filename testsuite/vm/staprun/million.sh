# SPDX-License-Identifier: GPL-2.0-or-later
# A handler that prints a million lines as fast as it can loses none of them when somebody reads.
#: long: a million lines of output
#: timeout: 300
#: scripts: _million.stp
#: records: also
. "$AREA/_common.sh"
out=/dev/shm/staprun-million # in memory: a shared folder is slow
check_lines() { # the number of lines
    awk -v n="$1" '/^the end$/ { end = NR; next } $0 != "line " NR - 1 { print "line " NR " is: " $0; exit 1 }
                   END { if (NR != n + 1 || end != NR) { print NR " lines"; exit 1 } }' $out || fail 'lines are missing, torn or out of order'
}
"$STAPRUN" --ledger=ledger --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko >$out
check_lines 1000000
is_balanced ledger
is_equal 'bytes dropped' "$(ledger_sum ledger bytes dropped)" 0
"$STAPRUN" --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko n=100000 | cat >$out
check_lines 100000
"$STAPRUN" -o $out --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko n=1000
check_lines 1000
rm $out
