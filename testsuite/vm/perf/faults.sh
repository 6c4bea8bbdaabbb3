# SPDX-License-Identifier: GPL-2.0-or-later
# Page faults, each one and every tenth, against what the kernel accounts to the process.
#: scripts: _faults.stp
#: host: cc -O2 -static -o faults "$AREA/_faults.c"
"$STAPRUN" _faults.ko >out &
pid=$!
eventually 20 grep -q ready out
expected=$(taskset -c 0 ./faults)
kill -INT $pid
wait $pid
read -r all tenth user <<<"$(tail -n 1 out)"
echo "$all faults, a tenth $tenth, in user mode $user; the kernel counted $expected" | tee figures
[ "$expected" -ge 700 ] || fail "only $expected faults"
is_equal 'faults' "$all" "$expected"
is_equal 'faults of user mode' "$user" "$expected"
# The counter of every tenth may stand anywhere when the program begins.
[ "$tenth" -ge $((expected / 10)) ] && [ "$tenth" -le $((expected / 10 + 1)) ] || fail "a tenth is $tenth"
