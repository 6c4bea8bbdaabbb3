# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that return, and are left by exceptions, longjmp(), coroutines that are given up, and the end of threads; deep recursion
# and signal handlers. Each return sees what its own entry saved, the program is not disturbed, and each call is accounted for.
#: host: g++ -O1 -g -fno-optimize-sibling-calls -pthread -o leaves "$AREA/_leaves.cc"
#: host: "$STAP" -p4 -r "$R" -m leaves "$AREA/_leaves.stp" "$W/leaves" >/dev/null
#: timeout: 300
for way in exceptions jumps recursion switches threads handlers; do
    ./leaves $way >said
    "$STAPRUN" --ledger ledger.json leaves.ko -c "./leaves $way >told" >out 2>err || { cat out err; fail "$way: status $?"; }
    is_equal "$way: messages" "$(cat err)" ''
    is_equal "$way: the program's result" "$(cat told)" "$(cat said)"
    is_equal "$way" "$(cat out)" "$(cat said)"
    read -r _ calls _ returned _ <said
    read -r followed back left inside missed <<<"$(grep '"calls"' ledger.json | tr -c '0-9\n' ' ')"
    is_equal "$way: followed" "$followed" "$calls"
    is_equal "$way: returned" "$back" "$returned"
    is_equal "$way: left and inside" "$((left + inside)) $missed" "$((calls - returned)) 0"
    grep -q '"balanced": true' ledger.json || fail "$way: the ledger does not balance"
done
