# SPDX-License-Identifier: GPL-2.0-or-later
# A process forks within calls: its child returns from them, too, with the values of their entries.
#: host: gcc -O1 -g -fno-optimize-sibling-calls -pthread -o forks "$AREA/_forks.c"
#: host: "$STAP" -p4 -r "$R" -m forks -e 'global n, sum probe process(@1).function("deep").return { n++; sum += @entry($n) } probe end { printf("returned %d sum %d\n", n, sum) }' "$W/forks" >/dev/null
"$STAPRUN" --ledger ledger.json forks.ko -c './forks >said' >out 2>err || { cat out err; fail "status $?"; }
is_equal 'messages' "$(cat err)" ''
is_equal 'output' "$(cat out)" "$(cat said)"
read -r _ returned _ <said
read -r _ back _ _ missed <<<"$(grep '"calls"' ledger.json | tr -c '0-9\n' ' ')"
is_equal 'returned, missed' "$back $missed" "$returned 0"
