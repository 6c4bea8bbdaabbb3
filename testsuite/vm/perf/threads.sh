# SPDX-License-Identifier: GPL-2.0-or-later
# Each thread's own counter, against what the kernel accounts to the thread: of a process that runs already, of one that begins
# later, of threads that share a CPU, and of children.
#: host: cc -O2 -static -pthread -o threads "$AREA/_threads.c"
#: host: "$STAP" -p4 -r "$R" -m threads "$AREA/_threads.stp" "$W/threads" >/dev/null
#: timeout: 180
cp threads others
pipe=$(mktemp -u)
mkfifo $pipe
./threads 4 150 wait ./others <$pipe >running &
running=$!
exec 4>$pipe
threads_of() { [ "$(ls /proc/$running/task | wc -l)" = "$1" ]; }
eventually 20 threads_of 5
"$STAPRUN" threads.ko >out 2>err 4>&- &
staprun=$!
eventually 60 grep -q ready out
echo >&4
wait $running
taskset -c 1 ./threads 3 170 >later
./others 1 50 >/dev/null
kill -INT $staprun
wait $staprun || fail "status $?"
cat out err running later
is_equal 'messages' "$(cat err)" ''
cat running later | sed -n 's/^thread \([0-9]\)/\1/p' | sort -n >expected
is_equal 'threads' "$(wc -l <expected)" 11
is_equal 'what each has counted' "$(sed -n 's/^saw //p' out | sort -n)" "$(cat expected)"
# The process that ran already counts without its past; the other one counts from before main().
least=$(awk '{ sum += $2 } END { print sum }' expected)
most=$(awk "/ process /"' { sum += $3 } END { print sum + 300 }' running later)
total=$(sed -n 's/^total //p' out)
[ "$total" -ge "$least" ] && [ "$total" -le "$most" ] || fail "the total is $total, not between $least and $most"
# It executes itself under another name, and runs so once more.
is_equal 'others' "$(grep '^odd' out)" "odd 0, refused 2: no events of this thread are counted as 'faults'"
