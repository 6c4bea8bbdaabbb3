# SPDX-License-Identifier: GPL-2.0-or-later
# Samples that go nowhere else are summarized on standard output when the session ends, after what was printed; with --record, -o or records
# there is no summary.
#: host: cc -O1 -g -o levels "$AREA/_levels.c"
#: host: "$STAP" -p4 -r "$R" -m naps "$AREA/_naps.stp" 0 >/dev/null
#: host: "$STAP" -p4 -r "$R" -m says -e '@profile("calls", "calls") probe syscall.write { if (pid() == target()) @sample(stacks(), 1) } probe end { println("said") }' >/dev/null
#: records: no, it is about text
. "$AREA/../staprun/_common.sh"
# The program counts its naps itself, and prints how many there were.
"$STAPRUN" naps.ko -c './levels 20 10' >out 2>err || fail "status $?: $(cat err)"
cat out
is_equal 'messages' "$(cat err)" ''
is_equal 'the count of the program, and of the summary' "$(sed -n '1p; 2s/^levels: naps, \([0-9]*\) samples.*/\1/p' out | uniq)" 200
grep -qE '^ +100 % +200 +- +descend +levels$' out || fail 'the function'
"$STAPRUN" naps.ko -c true >out 2>err || fail "status $?: $(cat err)"
grep -q '^No samples: ' out || fail "without samples: $(cat out err)"
"$STAPRUN" says.ko -c './levels 1 1' >out 2>err || fail "status $?: $(cat err)"
is_equal 'what the script said, and what parts it from the summary' "$(sed -n '2,3p; 4s/:.*//p' out)" "$(printf 'said\n\nlevels')"
for elsewhere in '--record run.tapir' '-o run.folded' '-o run.log' --format=json; do
    "$STAPRUN" naps.ko $elsewhere -c './levels 2 1' >out 2>err || fail "$elsewhere: status $?: $(cat err)"
    ! grep -q 'TOTAL *SELF *FUNCTION' out || fail "$elsewhere: a summary"
done
"$STAPRUN" naps.ko -c './levels 1 1 60' >out 2>err &
pid=$!
eventually 30 is_armed naps
kill -QUIT $pid
wait $pid && fail 'a session was left, and its summary with it' || :
grep -q '^ERROR: there is no summary: the session goes on' err || fail "$(cat err)"
"$STAPRUN" -d naps
