# SPDX-License-Identifier: GPL-2.0-or-later
# Every task of the machine, its state, its times and where it waits, against /proc.
#: long: a thousand threads come and go
#: records: also
#: scripts: _all_tasks.stp
#: requires: kernel 5.16
#: host: cc -O2 -o threads "$AREA/_many_threads.c" -pthread
./threads >said &
threads=$!
eventually 30 grep -q ready said
# A zombie is a task, too.
bash -c 'sleep 1 & exec sleep 1000' &
parent=$!
zombie() { ps -o stat= --ppid $parent | grep -q Z; }
eventually 30 zombie
before=$(ls -d /proc/[0-9]*/task/[0-9]* | sed 's/.*\///' | sort)
"$STAPRUN" _all_tasks.ko >out || fail "staprun ended with $?"
after=$(ls -d /proc/[0-9]*/task/[0-9]* | sed 's/.*\///' | sort)
grep '^took' out
sed -n 's/^task \([0-9]*\) .*/\1/p' out | sort >seen
is_equal 'tasks that were seen twice' "$(uniq -d seen)" ''
comm -12 <(echo "$before") <(echo "$after") | comm -23 - seen >missing
is_equal 'tasks that were there all the time and not seen' "$(cat missing)" ''
is_equal 'threads of the program' "$(grep -c "^task [0-9]* $threads " out)" 1000
grep -q "^took .* 0 odd$" out || fail 'something of the program was there'
letter() { # STATE
    case $(($1 & 0x7f)) in
    0) echo R ;;
    1) echo S ;;
    2) [ $(($1 & 0x400)) -eq 0 ] && echo D || echo I ;;
    4) echo T ;;
    64) echo P ;;
    *) echo "?$1" ;;
    esac
}
compared=0
checked=0
while read -r word tid pid state switches runtime start site name; do
    [ "$word" = task ] || continue
    checked=$((checked + 1))
    # Some will do where many are alike.
    [ "$pid" != "$threads" ] || [ $((tid % 100)) -eq 0 ] || continue
    [ $compared -lt 40 ] || break
    dir=/proc/$pid/task/$tid
    now=$(awk '/ctxt_switches/ { n += $2 } END { print n }' $dir/status 2>/dev/null) || continue
    stat=$(sed 's/.*) //' $dir/stat 2>/dev/null) || continue
    set -- $stat
    # One that has not run since, and is asleep.
    [ "$now" = "$switches" ] && [ "$1" != Z ] && [ "$1" != R ] || continue
    is_equal "state of $tid" "$(letter "$state")" "$1"
    is_equal "start of $tid" "$start" "${20}"
    read -r ran _ <$dir/schedstat
    is_equal "time of $tid" "$runtime" "$ran"
    is_equal "where $tid waits" "$site" "$(cat $dir/wchan)"
    compared=$((compared + 1))
done <out
kill $threads $parent
echo "$compared of $checked tasks"
[ $compared -ge 30 ] || fail "only $compared tasks were asleep all the time"
