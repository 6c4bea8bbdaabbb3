# SPDX-License-Identifier: GPL-2.0-or-later
# Conditions that change at a high rate harm nothing, neither when the session ends by itself, nor by a kill, nor by rmmod. ROUNDS=3 for more.
#: long: many rounds beside load
#: scripts: _flapping.stp
#: host: cc -O2 -static -o calls "$AREA/_calls.c"
#: timeout: 180
functions() { cut -d' ' -f1 /sys/kernel/tracing/enabled_functions; }
nothing_traced() { [ -z "$(functions)" ]; }
(while :; do ./calls 4 500; done) &
load=$!
for round in $(seq "${ROUNDS:-1}"); do
    "$STAPRUN" --ledger=ledger --duration $((60 * PATIENCE)) _flapping.ko enough=500 >out
    is_equal 'what happened' "$(tail -n 1 out)" 'flipped 1 hit 1'
    grep -q '"balanced": true' ledger || fail 'the ledger does not balance'
    is_equal 'functions still traced' "$(functions)" ''

    rm -f out
    "$STAPRUN" _flapping.ko >out &
    pid=$!
    eventually 20 test -s out
    sleep 0.$((round * 2))
    kill -KILL $pid
    wait $pid 2>/dev/null || :
    eventually 20 nothing_traced
    "$STAPRUN" -d _flapping

    "$STAPRUN" -L _flapping.ko >/dev/null 2>&1
    sleep 0.$((round * 2))
    rmmod _flapping
    is_equal 'functions still traced' "$(functions)" ''
done
kill $load
