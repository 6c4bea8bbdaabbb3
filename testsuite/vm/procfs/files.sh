# SPDX-License-Identifier: GPL-2.0-or-later
# Files that handlers fill and read.
#: scripts: _files.stp _other.stp
#: host: "$STAP" -p4 -r "$R" -m _buffer -DSTP_PROCFS_BUFSIZE=64 -e 'global sizes probe procfs("usual").read { for (i = 0; i < 20; i++) $value .= "0123456789" } probe procfs("piece").write { sizes .= sprint(strlen($value), " ") } probe end { print(sizes) }' >/dev/null
"$STAPRUN" _files.ko >out 2>err &
pid=$!
eventually 20 grep -q ready out
there() { ls /proc/systemtap/*/command >/dev/null 2>&1; }
eventually 10 there
dir=$(echo /proc/systemtap/*)
is_equal 'folder' "$dir" "/proc/systemtap/$(ls /proc | sed -n 's/^tapir-//p')"
is_equal 'first' "$(cat "$dir/count")" '1 reads by cat'
is_equal 'second' "$(dd if="$dir/count" bs=3 2>/dev/null)" '2 reads by dd'
# One open file: what was read stays as it is until the next read from the beginning.
exec 4<"$dir/count" 5<"$dir/count"
head -c 2 <&5 >/dev/null
is_equal 'fourth' "$(cat <&4)" '4 reads by cat'
is_equal 'the rest of the third' "$(cat <&5)" 'reads by head'
exec 4<&- 5<&-
is_equal 'limit' "$(cat "$dir/limit")" 10
printf 25 >"$dir/limit"
is_equal 'limit' "$(cat "$dir/limit")" 25
printf '%s\n' -7 >"$dir/limit"
is_equal 'limit' "$(cat "$dir/limit")" -7
is_equal 'modes' "$(stat -c '%a' "$dir"/{count,limit,command,deep/er/one,deep/er/two} | tr '\n' ' ')" '400 600 200 444 640 '
is_equal 'in a folder' "$(cat "$dir/deep/er/one")" one
is_equal 'nothing' "$(cat "$dir/deep/er/two")" ''
seq -f %024g 0 199 | cmp - "$dir/deep/large" || fail 'the large file'
is_equal 'a small file' "$(wc -c <"$dir/small")" 79
is_equal 'a file of the usual size' "$(wc -c <"$dir/usual")" 200
"$STAPRUN" _buffer.ko >buffer &
buffer=$!
eventually 20 test -e /proc/systemtap/_buffer/piece
is_equal 'a file of STP_PROCFS_BUFSIZE' "$(wc -c </proc/systemtap/_buffer/usual)" 63
head -c 130 /dev/zero | tr '\0' x | dd iflag=fullblock of=/proc/systemtap/_buffer/piece bs=130 2>/dev/null
kill -INT $buffer
wait $buffer
is_equal 'pieces of STP_PROCFS_BUFSIZE' "$(cat buffer)" '63 63 4 '
# In pieces of at most the size that was asked for.
head -c 7000 /dev/zero | tr '\0' x | dd iflag=fullblock of="$dir/long" bs=7000 2>/dev/null || :
head -c 2999 /dev/zero | tr '\0' y | dd iflag=fullblock of="$dir/long" bs=7000 2>/dev/null
! cat "$dir/command" 2>/dev/null || fail 'a file for writing was read'
# Another module's folder comes and goes.
"$STAPRUN" _other.ko >other &
other=$!
both() { [ "$(ls /proc/systemtap | wc -l)" = 2 ]; }
eventually 20 both
kill -INT $other
wait $other
is_equal 'folders' "$(ls /proc/systemtap | wc -l)" 1
# The session ends while a file is open.
exec 6<"$dir/count"
head -c 1 <&6 >/dev/null
echo 'quit now' >"$dir/command"
wait $pid
! cat <&6 2>/dev/null || fail 'a file without a handler was read'
exec 6<&-
[ ! -e /proc/systemtap ] || fail '/proc/systemtap is left'
cat out
is_equal 'commands' "$(grep '^command' out)" 'command quit now'
grep -q '^2:25 3:-7 $' out || fail 'what was written'
is_equal 'long writes' "$(tail -n 1 out)" '4 511'
is_equal 'errors' "$(cat err)" 'cut to MAXSTRINGLEN (512): 4 strings; -D MAXSTRINGLEN=2048 gives more room'
