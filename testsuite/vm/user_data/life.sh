# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that run when the script starts, with all their threads, and those that execute the program later; what they fork, and
# what they become when they execute it once more.
#: host: cc -g -O2 -pthread -o writers "$AREA/_writers.c"
#: host: "$STAP" -p4 -r "$R" -m count "$AREA/_count.stp" "$W/writers" >/dev/null
#: timeout: 180
. "$AREA/_lib.sh"
pipe=$(mktemp -u)
mkfifo $pipe
./writers hold=5,30 wait threads=3,20 fork=2,15 exec=threads=2,10+wait+fork=1,5 <$pipe >running &
running=$!
exec 4>$pipe
threads_of() { [ "$(ls /proc/$running/task | wc -l)" = "$1" ]; }
eventually 20 threads_of 6
"$STAPRUN" count.ko >out 2>err &
staprun=$!
eventually 60 grep -q started out
echo >&4
./writers threads=2,40 fork=3,10 exec=fork=2,7+exec=threads=1,9 >later
sh -c './writers threads=1,11; exec ./writers threads=1,12' >>later
# Not the program.
cp writers other-writers
./other-writers threads=1,1000 >/dev/null
echo >&4
wait $running
kill -INT $staprun
wait $staprun || fail "status $?"
cat out err running later
is_equal 'messages' "$(cat err)" ''
is_equal 'the programs' "$(did running | cut -d' ' -f1) $(did later | cut -d' ' -f1)" "265 156"
is_equal 'hits and values' "$(grep '^saw' out)" "saw $(did running later)"
is_equal 'odd hits' "$(sed -n 's/^threads.*, odd //p' out)" 0
