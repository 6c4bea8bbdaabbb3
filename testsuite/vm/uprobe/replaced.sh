# SPDX-License-Identifier: GPL-2.0-or-later
# A program whose file is replaced while the script runs: old processes stay probed, new ones are not, and the user is told.
#: host: cc -O2 -g -o replaced "$AREA/_replaced.c"
#: scripts: _replaced.stp
#: script-args: $W/replaced
lines=$(mktemp -u)
mkfifo "$lines"
./replaced <"$lines" &
exec 7>"$lines"
"$STAPRUN" _replaced.ko -o out 2>err 7>&- &
run=$!
sent=0
until grep -qs '^step' out; do
    [ -d /proc/$run ] || fail "staprun ended: $(cat err)"
    echo >&7
    sent=$((sent + 1))
    sleep 0.1
done
eventually 30 grep -qx "step $sent" out
cp replaced new
mv new replaced
eventually 30 grep -q replaced err
printf '\n\n\n' | ./replaced
echo >&7
eventually 30 grep -qx "step $((sent + 1))" out
exec 7>&-
wait %1
kill -INT $run
wait $run
is_equal "the last step" "$(tail -n 1 out)" "step $((sent + 1))"
is_equal "steps that are counted twice" "$(sort out | uniq -d)" ""
is_equal "what is said" "$(cat err)" "WARNING: '$W/replaced' was replaced while the script runs: processes that run the former file stay probed, those that run the new one are not. Start the script again for these"
