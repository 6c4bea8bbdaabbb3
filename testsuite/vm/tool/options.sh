# SPDX-License-Identifier: GPL-2.0-or-later
# One module, and what its options make of it; several processes, each of which knows how many calls it makes.
#: host: "$STAP" -p4 -r "$R" -m values "$AREA/_values.stp" --spread 2 >/dev/null
#: host: "$STAP" -p4 -r "$R" -m several "$AREA/_several.stp" -p 1,$$ >/dev/null
#: timeout: 90
# said NAME=VALUE...: the values that the script sees, and how long three intervals took. Timers are never early.
said() {
    "$STAPRUN" values.ko "$@" >out || { cat out; fail "values $*"; }
    read -r took _ samples _ < <(sed -n 2p out)
    sed -n 1p out
}
is_equal 'without options' "$(said)" "min 0 state any errors 0 spread 2 size 5"
is_equal 'with options' "$(said min=3000 state=disk errors=1 size=12)" "min 3000 state disk errors 1 spread 2 size 12"
said >/dev/null
[ "$took" -ge 290 ] || fail "three intervals of 100 ms took $took"
said every=400 hz=5 >/dev/null
[ "$took" -ge 1190 ] || fail "three intervals of 400 ms took $took"
[ "$samples" -le $((took * 5 / 1000 + 1)) ] || fail "5 Hz made $samples samples in $took ms"
said every=20 hz=1000 >/dev/null
[ "$samples" -gt 5 ] || fail "1000 Hz made $samples samples in $took ms"
grep -q 'timer.ms(every).randomize(2)$' out || { cat out; fail 'pp() does not name the option'; }
# The loader does not know what the options are, the module does.
for wrong in every=0 hz=0 hz=2000000000 size=0; do
    ! "$STAPRUN" values.ko $wrong >out 2>err || fail "$wrong is taken"
    grep -q "${wrong%=*} is ${wrong#*=}, which is not between 1 and" err || { cat err; fail "$wrong"; }
done

pids=()
for name in first second third; do
    # shellcheck disable=SC2016 # for the inner shell
    bash -c 'while [ ! -e go ]; do read -rt 0.1 <> <(:) || :; done; for ((i = 0; i < 9; i++)); do kill -0 $$; done' $name &
    pids+=($!)
done
"$STAPRUN" -x "${pids[0]}" several.ko "__more_targets=${pids[1]}" >out 2>err &
session=$!
eventually 20 grep -q ready out || { cat out err; fail 'the session did not start'; }
touch go
wait "${pids[@]}"
kill -INT $session
wait $session || true
cat out err
is_equal 'calls of the processes that were named' "$(sed 1d out)" "$(printf '%s\n' "${pids[0]} 9" "${pids[1]} 9" | sort -n)"
