# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks as keys and values: each is kept once and whole, and has its names when the program is gone. A full table is visible.
#: host: cc -O2 -o deep "$AREA/_deep.c"
#: scripts: _stored.stp
#: script-args: $W/deep
"$STAPRUN" --ledger ledger.json -c "./deep 60" _stored.ko >out 2>err || fail "$(cat out err)"
cat out err
grep -q '^60 stacks, 120 hits; 60 stacks, 120 hits$' out || fail 'stacks and hits'
# The third is that of the third level: reached, descend three times, main, what called it, and the start.
names=$(sed -n '/^text/,/^lines/p' out | sed -n 's/^ 0x[0-9a-f]* : \([a-z_]*\)+0x[0-9a-f]*\/0x[0-9a-f]* \[\/.*\]$/\1/p' | grep -v libc | paste -sd ' ')
case $names in
'reached descend descend descend main '*_start) ;;
*) fail "names: $names" ;;
esac
is_equal 'lines' "$(sed -n '/^lines/,/^60/p' out | grep -c '^descend+0x[0-9a-f]* \[/.*/deep\]$')" 3
# Addresses are those that the process had.
text=$(sed -n 's/^text //p' out)
is_equal 'addresses' "$text" "$(sed -n '/^text/,/^lines/s/^ \(0x[0-9a-f]*\).*/\1/p' out | paste -sd ' ') "
is_equal 'first two frames' "$(sed -n '/^first/,$s/^ .* : \([a-z]*\)+.*/\1/p' out | paste -sd ' ')" 'reached descend'
grep -q '^never' out && fail 'a stack that was cut is not the whole one' || :
# Deeper than a string has room for, and more than there is room to keep.
"$STAPRUN" --stack-memory=1 --ledger ledger.json -c "./deep 1000" _stored.ko >out 2>err || fail "$(cat out err)"
grep -v '^ ' out
cat err
read -r kept _ hits _ <<<"$(grep ' stacks, ' out)"
[ "$hits" = 2000 ] || fail "$hits hits"
[ "$kept" -gt 100 ] && [ "$kept" -lt 1000 ] || fail "$kept stacks"
grep -Eq '^WARNING: the table of stacks was full [0-9]+ times: [0-9]+ different ones took its 1 MB; --stack-memory=MB gives more room$' err || fail 'the warning'
grep -Eq '"stacks": {"kept": [0-9]+, "refused": [1-9][0-9]*, ' ledger.json || fail 'the ledger'
