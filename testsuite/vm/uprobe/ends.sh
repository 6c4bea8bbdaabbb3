# SPDX-License-Identifier: GPL-2.0-or-later
# Saved calls of processes that end, or execute a program, inside of a function are given up, and mix with no
# other calls; likewise those of threads.
#: long: many rounds beside load
#: host: cc -O2 -g -pthread -o ends "$AREA/_ends.c"
#: host: "$STAP" -p4 -r "$R" -m ends "$AREA/_ends.stp" "$W/ends" >/dev/null
#: timeout: 300
#: records: also
threads=700
processes=${ROUNDS:-$((300 / PATIENCE))}
"$STAPRUN" --ledger ledger.json ends.ko -c "./ends $threads $processes" >out 2>err || { cat out err; fail 'staprun'; }
cat out err
is_equal 'standard error' "$(cat err)" ''
is_equal 'output' "$(cat out)" "entered $((2 * threads + processes + 100))
returned 100 sum 600 of 600"
! grep '"missed": [1-9]' ledger.json || fail 'missed'
ended=$((2 * threads + processes))
is_equal 'calls' "$(grep '"calls"' ledger.json)" "  \"calls\": {\"followed\": $((ended + 100)), \"returned\": 100, \"left\": $ended, \"inside\": 0, \"missed\": 0},"
grep -q '"balanced": true' ledger.json || fail 'the ledger does not balance'
