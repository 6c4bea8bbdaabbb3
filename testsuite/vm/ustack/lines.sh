# SPDX-License-Identifier: GPL-2.0-or-later
# Source lines, addresses in files and build-ids are those of binutils.
#: scripts: _lines.stp
#: script-args: "$BIN/unwind_program"
#: stap: -g
#: requires: program addr2line readelf
#: timeout: 120
program=$BIN/unwind_program
"$STAPRUN" -c "$program calls" _lines.ko >out 2>err || { cat out err; fail 'run'; }
cat out err
part() { sed -n "/^begin $1\$/,/^end $1\$/p" out | sed '1d;$d'; }
place=$(sed -n 's/^place 0x\([0-9a-f]*\) .*/\1/p' out)
is_equal 'the address in the file' "$place" "$(nm "$program" | sed -n 's/^0*\([0-9a-f]*\) T called_last$/\1/p')"
is_equal 'build-id' "$(sed -n 's/^place [^ ]* //p' out)" "$(readelf -n "$program" | sed -n 's/.*Build ID: //p')"
line=$(addr2line -e "$program" "$place" | sed 's/ .*//')
is_equal 'file and line' "$(grep ^entry out)" "entry $line 1 ${line%:*} ${line##*:}"
is_equal 'nowhere' "$(grep ^nowhere out)" 'nowhere 0x10 0x10 0x10 0 []'
[ "$(part plain | wc -l)" -ge 6 ] || fail 'a short stack'
is_equal 'from registers' "$(part from)" "$(part plain)"
is_equal 'lines from registers' "$(part 'lines from')" "$(part lines)"
is_equal 'without lines' "$(part lines | sed 's, at [^ ]*:[0-9]* , ,')" "$(part plain)"
# Lines of callers are those of the calls.
part lines | grep 'unwind_program\]$' | grep -v _start | sed 1d | while read -r _ _ symbol _ at _; do
    function=${symbol%%+*} offset=${symbol#*+}
    start=$(nm "$program" | sed -n "s/ [tT] $function\$//p")
    expected=$(addr2line -e "$program" "$(printf %x $((0x$start + ${offset%/*} - 1)))" | sed 's/ .*//')
    is_equal "line of $symbol" "$at" "$expected"
done
[ "$(part lines | grep -c ' at /.*/program.cc:[0-9]* \[')" -ge 4 ] || fail 'few lines'
