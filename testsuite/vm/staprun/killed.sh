# SPDX-License-Identifier: GPL-2.0-or-later
# When the loader is killed under load, its probes go off and the module can be removed. ROUNDS=50 for more.
#: long: many rounds beside load
#: scripts: _flood.stp
#: timeout: 900
. "$AREA/_common.sh"
probes_off() { ! grep -q '^vfs_' /sys/kernel/tracing/enabled_functions; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
make_load

probes_off || fail 'there are probes before the first one'

for round in $(seq "${ROUNDS:-3}"); do
    rm -f out
    "$STAPRUN" _flood.ko >out 2>err &
    pid=$!
    starts out
    probes_off && fail 'the probes are not on'
    sleep 0.$((round % 5))
    before=$(milliseconds)
    kill -KILL $pid
    wait $pid 2>/dev/null || :
    eventually 20 probes_off
    took=$(($(milliseconds) - before))
    [ -n "${best:-}" ] && [ "$best" -le $took ] || best=$took
    is_loaded _flood || fail 'the module went away by itself'
    if [ "$round" = 1 ]; then
        run "$STAPRUN" _flood.ko >out 2>err
        is_equal 'exit status of a second start' $status 1
        grep -q "a module of that name is already loaded; 'staprun -A _flood' attaches to it, 'staprun -d _flood' removes it" err ||
            fail 'it does not say what to do'
    fi
    "$STAPRUN" -d _flood
    is_gone _flood || fail 'the module is still there'
done
# A figure to read, and no bar: an emulated guest on a busy machine has no clock to judge by.
echo "probes are off $best ms after the kill"
