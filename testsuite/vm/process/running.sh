# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that run already when the script starts begin once, by themselves, when they are next seen: at the return of a system
# call, when they end, or when they execute another program.
#: host: cc -O2 -pthread -o life "$AREA/_life.c"
#: host: "$STAP" -p4 -r "$R" -m running "$AREA/_running.stp" "$W/life" >/dev/null
#: timeout: 120
pipes=$(mktemp -d)
mkfifo $pipes/one $pipes/two $pipes/three
./life wait wait <$pipes/one & pid_one=$!
./life threads=2 wait <$pipes/two & pid_two=$!
./life wait exec=wait <$pipes/three & pid_three=$!
sleep 100 & stranger=$!
exec 4>$pipes/one 5>$pipes/two 6>$pipes/three
"$STAPRUN" running.ko >out & staprun=$!
eventually 30 grep -q '^started' out
grep -q '^begin' out && fail 'a process that sleeps has begun'
echo >&4
eventually 30 grep -q "^begin $pid_one life$" out
echo >&5
wait $pid_two
echo >&6
# It goes on, as another execution of the same file.
eventually 30 grep -q "^end $pid_three" out
kill -9 $pid_one $stranger
echo >&6
wait $pid_three
eventually 30 grep -q "^end $pid_one life$" out
kill -INT $staprun
wait $staprun
cat out
is_equal 'the first' "$(grep " $pid_one " out)" "begin $pid_one life
end $pid_one life"
is_equal 'the second' "$(grep " $pid_two " out)" "begin $pid_two life
end $pid_two life"
is_equal 'the third' "$(grep " $pid_three " out)" "begin $pid_three life
end $pid_three life
begin $pid_three life
end $pid_three life"
is_equal 'threads that ended' "$(grep thread out || :)" ''
