# SPDX-License-Identifier: GPL-2.0-or-later
# A handler that prints a million lines as fast as it can loses none of them when somebody reads.
#: scripts: _million.stp
#: timeout: 120
. "$AREA/_common.sh"
check_lines() {
    awk -v n="$1" '/^the end$/ { end = NR; next } $0 != "line " NR - 1 { print "line " NR " is: " $0; exit 1 }
                   END { if (NR != n + 1 || end != NR) { print NR " lines"; exit 1 } }' "$2" || fail 'lines are missing, torn or out of order'
}
"$STAPRUN" --ledger=ledger --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko >out
check_lines 1000000 out
is_balanced ledger
is_equal 'bytes dropped' "$(ledger_sum ledger bytes dropped)" 0
"$STAPRUN" --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko | cat >out
check_lines 1000000 out
"$STAPRUN" -o file --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko n=1000
check_lines 1000 file
rm out
