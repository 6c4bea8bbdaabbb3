# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that end while they are looked at, sessions that do, several processes, and threads that run.
#: host: cc -g -pthread -o looked "$AREA/_looked.c"
#: host: "$STAP" -p4 -r "$R" -m circle "$AREA/_circle.stp" "$W/looked" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m others "$AREA/_others.stp" "$W/looked" >/dev/null
#: timeout: 180
#: long: sessions wait for processes that die
#: records: no, it compares the order of output and messages
is_equal 'without a process' "$("$STAPRUN" others.ko 2>&1)" 'begin
WARNING: no process runs that a snapshot is wanted of
0 processes'

# --duration ends a walk that would go on for ever.
: >text
./looked text sleep >ready & pid=$!
eventually 30 grep -q ready ready
"$STAPRUN" circle.ko --duration 1 >out 2>errors || :
kill -9 $pid
wait $pid || :
grep -qF "probe process(\"$W/looked\").snapshot was interrupted" errors

# The process dies while its memory is walked. The memory goes when the session does, and not sooner.
place=$(mktemp -d)
mount -t tmpfs none $place
head -c 1048576 /dev/zero >$place/text
./looked $place/text sleep >ready & pid=$!
eventually 30 grep -q ready ready
"$STAPRUN" circle.ko >out 2>errors & staprun=$!
eventually 30 grep -q walks out
kill -9 $pid
wait $pid || :
umount $place 2>/dev/null && fail 'the memory went while it was walked'
kill -INT $staprun
wait $staprun
cat out errors
is_equal 'the output' "$(cat out)" 'walks
end'
grep -qF "probe process(\"$W/looked\").snapshot was interrupted" errors
eventually 30 umount $place

# Two processes, one with a thread that never sleeps.
: >text
./looked text sleep >one & first=$!
./looked text busy >two & second=$!
eventually 30 grep -q ready one
eventually 30 grep -q ready two
"$STAPRUN" others.ko >out 2>errors
cat out errors
is_equal 'processes' "$(grep '^process' out)" "process $first circle-1
process $second circle-1"
is_equal 'threads' "$(grep -c '^thread' out)" 8
is_equal 'the order' "$(sed -n '1p;$p' out)" 'begin
2 processes'
# The busy one had to make room for the look on this CPU; another CPU may have gone on with it.
grep -q ' busy$' out || grep -qF "1 threads of process $second were running: where they stood is not known" errors
kill $first $second
