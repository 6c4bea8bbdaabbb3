# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on the kernel's own work, against /proc, and against what is made to happen so often.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in irqs softirqs worklat timers clocks klog modules hung; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: "$STAP" -p4 -r "$R" -m trace run trace 'kernel.function("vfs_unlink")' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m funclat run funclat 'kernel.function("vfs_read")' >/dev/null
#: timeout: 300
#: long: some fifteen sessions
. "$AREA/_tools.sh"

# sums FILE: name and sum of the processors of each row of /proc/interrupts or softirqs
sums() { awk 'NR == 1 { n = NF; next } { sum = 0; for (i = 2; i <= n + 1; i++) sum += $i; sub(/:/, "", $1); print tolower($1), sum }' "$1"; }
# within NAME CALLS: the kernel counted as many within the session at least, and around it at most.
within() {
    local least most
    least=$(paste -d' ' <(sums first) <(sums last) | awk -v n="$1" '$1 == n { print $4 - $2 }')
    most=$(paste -d' ' <(sums before) <(sums after) | awk -v n="$1" '$1 == n { print $4 - $2 }')
    [ "$2" -ge "$least" ] && [ "$2" -le "$most" ] || fail "$1: $2, by the kernel $least to $most"
}
cat >window <<'E'
cat $1 >first
for i in 1 2 3; do cat /proc/kallsyms >"$W/symbols"; sync; done
cat $1 >last
E
export W
cat /proc/interrupts >before
"$STAPRUN" "$W/irqs.ko" --format=csv -c 'sh window /proc/interrupts' >out
cat /proc/interrupts >after
values out >rows
[ "$(awk -F, '{ n += $4 } END { print n + 0 }' rows)" -gt 0 ] || fail 'no interrupt'
while IFS=, read -r line _ _ calls _; do within "$line" "$calls"; done <rows
cat /proc/softirqs >before
"$STAPRUN" "$W/softirqs.ko" --format=csv -c 'sh window /proc/softirqs' >out
cat /proc/softirqs >after
values out >rows
grep -q '^timer,' rows || fail 'no timer'
while IFS=, read -r kind _ runs _; do within "$kind" "$runs"; done <rows

# When this file is read, each processor does a work.
"$STAPRUN" "$W/worklat.ko" --format=csv -c "sh -c 'for i in 1 2 3 4 5; do cat /proc/sys/vm/stat_refresh; done'" >out
is_equal 'work of each processor' "$(values out | sed -n 's/^refresh_vm_stats,\([0-9]*\),.*/\1/p')" $((5 * $(nproc)))

traced timers 'naps 12 5'
is_equal 'timers of sleeps' "$(grep -cE '^12,[0-9]+,loads\([0-9]+\),hrtimer_wakeup$' rows)" 1
traced clocks 'clocks 123'
is_equal 'questions for the time' "$(cut -d , -f 1,2,4,5 rows)" '123,loads,clock_gettime,CLOCK_MONOTONIC'

"$STAPRUN" "$W/klog.ko" --format=csv -c "sh -c 'for i in 1 2 3; do echo a message \$i >/dev/kmsg; done'" >out
is_equal 'messages' "$(values out | sed -n 's/^sh,[0-9]*,[0-9]*,\(a message.*\)/\1/p' | tr '\n' ' ')" 'a message 1 a message 2 a message 3 '
"$STAPRUN" "$W/modules.ko" --format=csv -c "$STAPRUN $W/clocks.ko -c true >/dev/null" >out
is_equal 'modules' "$(values out | awk -F, '$2 == "clocks" { print $1, $3, $6 }' | sort | tr '\n' ' ')" 'loaded staprun 0 removed staprun 0 '

traced trace 'files 7'
is_equal 'places that are reached' "$(grep -c '^loads,.*vfs_unlink.*dentry=0x' rows)" 7
traced trace 'files 7' most=3
is_equal 'the first of them' "$(grep -c vfs_unlink rows)" 3
"$W/loads" writes 1 700 0
traced funclat 'reads 6 700'
is_equal 'calls of a function' "$(grep '^vfs_read,' rows | cut -d , -f 2)" 6

# A process that waits for the child that it has by vfork().
"$W/loads" vfork 60000 &
hung=$!
eventually 30 sh -c "grep -q '^State:.D' /proc/$hung/status"
sleep 1
"$STAPRUN" "$W/hung.ko" --format=csv min=1000 -x $hung >out
is_equal 'a thread that hangs' "$(values out | awk -F, '$5 >= 1000 { print $1, $2, $3 }')" "loads $hung $hung"
"$STAPRUN" "$W/hung.ko" min=100000 -x $hung >out
grep -q 'no thread is in state D for 100000 ms' out || fail 'hung finds what does not hang as long'
kill -KILL $hung $(cat /proc/$hung/task/$hung/children)
wait $hung || :
for tool in worklat timers clocks klog modules; do quiet $tool; done
