# SPDX-License-Identifier: GPL-2.0-or-later
# A watch whose condition does not hold is none: processes that run get it when it holds, and lose it again.
#: host: cc -g -O2 -pthread -o writers "$AREA/_writers.c"
#: host: "$STAP" -p4 -r "$R" -m condition "$AREA/_condition.stp" "$W/writers" >/dev/null
#: timeout: 180
files=/proc/systemtap/condition
pipe=$(mktemp -u)
mkfifo $pipe
./writers serve <$pipe >running &
running=$!
exec 4>$pipe
"$STAPRUN" condition.ko >out 2>err 4>&- &
staprun=$!
eventually 60 grep -q started out
lines=0
said() { [ "$(wc -l <running)" = $lines ]; }
# others WRITES
others() {
    lines=$((lines + 1))
    echo "$1" >&4
    eventually 20 said
}
others 10
is_equal 'before it holds' "$(cat $files/n)" 0
echo 1 >$files/on
# It is followed a moment later.
seen() { others 1 && [ "$(cat $files/n)" -gt 0 ]; }
eventually 20 seen
before=$(cat $files/n)
others 20
is_equal 'while it holds' "$(cat $files/n)" $((before + 20))
echo 0 >$files/on
others 30
is_equal 'when it no longer holds' "$(cat $files/n)" $((before + 20))
exec 4>&-
wait $running
kill -INT $staprun
wait $staprun || fail "status $?"
is_equal 'messages' "$(cat err)" ''
