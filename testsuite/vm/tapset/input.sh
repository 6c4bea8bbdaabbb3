# SPDX-License-Identifier: GPL-2.0-or-later
# Standard input: of a pipe, at its end, of a terminal; commands do not take it away.
#: requires: program script stty
#: scripts: _input.stp
lines='line "one\n" [o][n][e][\n]
line "\n" [\n]
line "shell\n" [s][h][e][l][l][\n]'
# Not in $W: there are no pipes in the host's folders.
pipe=$(mktemp -u)
mkfifo "$pipe"
"$STAPRUN" -c 'sh -c "read x; echo \"command has \$x\"; sleep 30"' _input.ko <"$pipe" >out 2>err &
pid=$!
exec 4>"$pipe"
eventually 20 grep -q '^command has' out
printf 'one\n\nshell\n' >&4
eventually 10 grep -q '^shell has' out
printf 'qu' >&4
sleep 0.1
printf 'it\n' >&4
wait $pid
exec 4>&-
is_equal 'from a pipe' "$(sort out)" "$(printf '%s\n' ready 'command has ' "$lines" 'shell has ' 'line "quit\n" [q][u][i][t][\n]' | sort)"
is_equal 'errors' "$(cat err)" ''
# The end of input is not the end of the session.
printf 'one\n' | "$STAPRUN" _input.ko >out &
pid=$!
eventually 20 grep -q '^line' out
sleep 0.5
kill -INT $pid || fail 'the session ended with its input'
wait $pid
is_equal 'to its end' "$(cat out)" 'ready
line "one\n" [o][n][e][\n]'
# Typed input comes at once and is not shown; afterwards the terminal is as it was.
script -qec "stty -a >before; \"$STAPRUN\" -o typed _input.ko; stty -a >after" /dev/null <"$pipe" >screen &
pid=$!
exec 4>"$pipe"
eventually 20 grep -q ready typed
takes_keys() { stty -F "$(readlink "/proc/$(pgrep -o -x staprun)/fd/0")" -a 2>/dev/null | grep -q -e '-icanon'; }
eventually 10 takes_keys
printf 'o' >&4
printf 'ne\nquit\n' >&4
wait $pid
exec 4>&-
is_equal 'typed' "$(cat typed)" 'ready
line "one\n" [o][n][e][\n]
line "quit\n" [q][u][i][t][\n]'
is_equal 'the screen' "$(cat screen)" ''
is_equal 'the terminal' "$(cat after)" "$(cat before)"
grep -q '[^-]icanon' after || fail 'the terminal is not as usual'
