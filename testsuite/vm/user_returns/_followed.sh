# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the cases of this folder share; they source this file.

# followed_as_counted LABEL MODULE COMMAND: the command says "calls N returned N ..." with a session as without; the script says the
# same, without a message, and the ledger balances.
followed_as_counted() {
    local label=$1 calls returned followed back left inside missed
    $3 >said
    "$STAPRUN" --ledger ledger.json "$2.ko" -c "$3 >told" >out 2>err || { cat out err; fail "$label: status $?"; }
    is_equal "$label: messages" "$(cat err)" ''
    is_equal "$label: the program's result" "$(cat told)" "$(cat said)"
    is_equal "$label: output" "$(cat out)" "$(cat said)"
    read -r _ calls _ returned _ <said
    read -r followed back left inside missed <<<"$(grep '"calls"' ledger.json | tr -c '0-9\n' ' ')"
    is_equal "$label: followed, returned, missed" "$followed $back $missed" "$calls $returned 0"
    is_equal "$label: left and inside" "$((left + inside))" "$((calls - returned))"
    grep -q '"balanced": true' ledger.json || fail "$label: the ledger does not balance"
}
