# SPDX-License-Identifier: GPL-2.0-or-later
# Modules come and go while their probes are being hit. ROUNDS=50 for more.
#: long: many rounds beside load
#: scripts: _flood.stp
#: timeout: 900
. "$AREA/_common.sh"
make_load
for round in $(seq "${ROUNDS:-3}"); do
    run "$STAPRUN" -R --duration 0.0$((round % 10))1 _flood.ko >out 2>err
    ends_well $status err
    tail -n 1 out | grep -q '^total [0-9]*$' || fail 'the end probe did not run'
done
# Several at once.
declare -A pids
for name in a b c; do
    "$STAPRUN" -R _flood.ko >$name 2>err-$name &
    pids[$name]=$!
done
for name in a b c; do starts $name; done
for name in a b c; do kill -INT ${pids[$name]}; done
for name in a b c; do
    wait_for ${pids[$name]}
    ends_well $status err-$name
done
for name in a b c; do tail -n 1 $name | grep -q '^total [1-9]' || fail "session $name saw nothing"; done
