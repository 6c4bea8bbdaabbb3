# SPDX-License-Identifier: GPL-2.0-or-later
# 2,000 places of one program, entries and returns, in processes that run already and in one that starts; then an end while they are
# being attached.
#: long: thousands of processes
#: host: bash "$AREA/_many.sh" 2000 >many.c && cc -O1 -g -o many many.c
#: scripts: _many.stp
#: script-args: $W/many
#: timeout: 180
#: records: also
for i in 1 2 3; do ./many wait & done
"$STAPRUN" _many.ko --ledger ledger.json -c ./many >out
is_equal "hits" "$(cat out)" "2000 entries of 2000 functions, 2000 returns"
is_equal "places" "$(grep -o '"attached": *2000' ledger.json | wc -l)" 2
"$STAPRUN" _many.ko >out 2>err &
run=$!
eventually 30 grep -q '^_many ' /proc/modules
kill -INT $run
wait $run || fail "an early end is no failure: $(cat err)"
is_equal "hits" "$(cat out)" "0 entries of 0 functions, 0 returns"
kill %1 %2 %3
