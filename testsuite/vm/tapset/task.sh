# SPDX-License-Identifier: GPL-2.0-or-later
# A process by what the kernel has of it, against what the process itself and /proc know.
#: scripts: _task.stp
#: host: cc -O2 -o task "$AREA/_task.c"
#: cpus: 2
dir=$(mktemp -d /run/task.XXXXXX)
chmod 777 "$dir"
cp task _task.ko "$dir"
cd "$dir"
mkfifo in
exec 3<>in
env -i FIRST=1 "LONG=$(head -c 3000 /dev/zero | tr '\0' x)" FIRST2=3 EMPTY= LAST="the last=one" ./task expected "a b" "" 'c"d' <in >said 3>&- &
task=$!
eventually 20 grep -q ready said
sleeping() { grep -q '^State:.S' /proc/$task/status; }
eventually 10 sleeping
"$STAPRUN" _task.ko -x $task >out &
staprun=$!
eventually 20 grep -q started out
echo x >&3
wait $task || fail "task ended with $?"
kill -INT $staprun
wait $staprun
cat said out
is_equal 'asleep' "$(sed -n 's/^asleep //p' out)" '1 task under test'
is_equal 'nothing' "$(sed -n 's/^none //p' out)" '0 0 [] [size:     0, rss:     0, shr:     0, txt:     0, data:     0]'
is_equal 'a kernel thread' "$(sed -n 's/^kthread //p' out)" '0 0 0'
is_equal 'errors' "$(grep -c '^cannot find file -\?[0-9]* in task$' out) $(grep -c '^read fault.* at 0x' out)" '2 1'
is_equal 'the task of an rcu_head' "$(sed -n 's/^rcu //p' out)" '1 0'
awk '/^--$/ { n = 0; on = 1; next } /^\.\.$/ { on = 0 } on { lines[n++] = $0 } END { for (i = 0; i < n; i++) print lines[i] }' out >last
diff expected last || fail 'values differ'
is_equal 'by pid' "$(sed -n 's/^same //p' out | tail -n 1)" '1 1 1 1 1 1'
is_equal 'room for files, and the program' "$(sed -n 's/^table //p' out | tail -n 1)" '128 1'
is_equal 'limits by name' "$(sed -n 's/^named //p' out | tail -n 1)" '1000000004 -1'
set -- $(sed -n 's/^cputime //p' out | tail -n 1)
is_equal 'times by tid' "$2 $3" '1 1'
ticks=$(sed -n 's/^ticks //p' said)
# /proc spreads the exact sum by what ticks have seen; an emulated processor misses some.
[ $((ticks * 10)) -gt $(($1 / 2)) ] && [ $((ticks * 10)) -lt $(($1 * 4)) ] || fail "processor time is $1 ms, by /proc $ticks ticks"
is_equal 'times as text' "$(sed -n 's/^string //p' out | tail -n 1)" 1
is_equal 'the trace' "$(sed -n 's/^trace //p' out | tail -n 1 | cut -d ' ' -f 1-3)" "task under test($task)"
grep -Eq "^trace task under test\($task\) [^ ]+\($$\)( |$)" out || fail 'trace does not go on with this shell'
grep -Eq '^ancestry swapper/0=>init=>.*=>task under test swapper/0\(0m0\.[0-9]{9}s\)=>init\(0m[0-9]\.[0-9]{9}s\)=>.*=>task under test\([0-9]+m[0-9]+\.[0-9]{9}s\)$' out || fail 'ancestry'
grep -Fxq '[./task expected a b "" c"d] [./task] [a b] [] [expected|a b|""]' out || fail 'command line'
grep -Fxq '[1] [the last=one] [] []' out || fail 'environment'
grep -Eq '^text size: [ 0-9.]{4,5}[KMG], rss: [ 0-9.]{4,5}[KMG], shr: ' out || fail 'memory as text'
