# SPDX-License-Identifier: GPL-2.0-or-later
# The target and its descendants only; as -x when it runs already, and as -c from its first instruction.
#: host: cc -g -O2 -pthread -o writers "$AREA/_writers.c"
#: host: "$STAP" -p4 -r "$R" -m target -c "$W/writers" "$AREA/_target.stp" >/dev/null
#: timeout: 180
. "$AREA/_lib.sh"
pipe=$(mktemp -u)
mkfifo $pipe
./writers wait threads=2,20 fork=2,10 wait <$pipe >running &
running=$!
exec 4>$pipe
"$STAPRUN" -x $running target.ko >out 2>err &
staprun=$!
eventually 60 grep -q started out
./writers threads=2,100 >other
echo >&4
echo >&4
wait $running
kill -INT $staprun
wait $staprun || fail "status $?"
cat out err
is_equal 'of -x' "$(grep '^saw' out)" 'saw 60, outside 0'
"$STAPRUN" -c "./writers threads=2,30 fork=2,10" target.ko >out 2>>err || fail "status $?"
cat out err
is_equal 'of -c' "$(grep '^saw' out)" 'saw 80, outside 0'
is_equal 'messages' "$(cat err)" ''
