# SPDX-License-Identifier: GPL-2.0-or-later
# If a function jumps to its own entry, a return has the arguments of its call, and each call is one.
#: host: cc -O2 -g -o comes_back "$AREA/_comes_back.c"
#: host: objdump -d --no-show-raw-insn comes_back | grep -Eq 'j[a-z]+ +[0-9a-f]+ <clear>$'
#: host: "$STAP" -p4 -r "$R" -m comes_back -e 'probe process("'"$W"'/comes_back").function("clear").return { printf("%p\n", @entry($p)) }' >/dev/null
"$STAPRUN" --ledger ledger.json comes_back.ko -c "./comes_back >told" >out 2>err || fail "$(cat out err)"
is_equal 'messages' "$(cat err)" ''
is_equal 'parameters' "$(cat out)" "$(cat told)"
read -r followed back left inside missed <<<"$(grep '"calls"' ledger.json | tr -c '0-9\n' ' ')"
is_equal 'calls' "$followed $back $left $inside $missed" '4 4 0 0 0'
