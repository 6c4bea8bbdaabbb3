# SPDX-License-Identifier: GPL-2.0-or-later
# Return handlers see the registers of after the return, even if the instruction takes more from the stack. A probe that is
# detached for a while takes no call for another one at the same place of the stack.
#: host: cc -O1 -o places "$AREA/_places.c"
#: host: "$STAP" -p4 -r "$R" -m registers "$AREA/_registers.stp" "$W/places" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m unseen "$AREA/_unseen.stp" "$W/places" >/dev/null
#: timeout: 120
# Without a shell in between, the tables of stacks are made before the program begins.
"$STAPRUN" -o out registers.ko -c "./places registers" >said 2>err || { cat out err; fail "status $?"; }
is_equal 'messages' "$(cat err)" ''
is_equal 'registers' "$(sort out)" "$(sort said)"
"$STAPRUN" --ledger ledger.json unseen.ko -c "./places unseen >said" >out 2>err || { cat out err; fail "status $?"; }
is_equal 'messages' "$(cat err)" ''
is_equal 'returns' "$(cat out)" "$(cat said)"
is_equal 'calls' "$(grep '"calls"' ledger.json)" '  "calls": {"followed": 12, "returned": 11, "left": 0, "inside": 1, "missed": 0},'
