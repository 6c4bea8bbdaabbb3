# SPDX-License-Identifier: GPL-2.0-or-later
# One module, and what its options make of it; several processes, each of which knows how many calls it makes.
#: host: "$STAP" -p4 -r "$R" -m values "$AREA/_values.stp" --times 3 >/dev/null
#: host: "$STAP" -p4 -r "$R" -m several "$AREA/_several.stp" -p 1,$$ >/dev/null
#: timeout: 60
is_equal 'without options' "$("$STAPRUN" values.ko)" "min 0 state any errors 0 times 3"
is_equal 'with options' "$("$STAPRUN" values.ko min=3000 state=disk errors=1)" "min 3000 state disk errors 1 times 3"

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
