# SPDX-License-Identifier: GPL-2.0-or-later
# Events of one program: of the file that was named, and of no other.
#: scripts: _program.stp
#: host: cc -O2 -static -o faults "$AREA/_faults.c"
cp faults /run/faults
trap 'rm -f /run/faults' EXIT
"$STAPRUN" _program.ko >out &
pid=$!
eventually 20 grep -q ready out
expected=$(/run/faults)
cp faults other
./other >/dev/null
kill -INT $pid
wait $pid
cat out
read -r hits all others <<<"$(tail -n 1 out)"
[ "$hits" -ge "$expected" ] || fail "$hits hits of at least $expected"
is_equal 'hits' "$hits" "$all"
is_equal 'hits of others' "$others" 0
