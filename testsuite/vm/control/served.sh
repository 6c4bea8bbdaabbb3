# SPDX-License-Identifier: GPL-2.0-or-later
# Anybody can serve a file system (FUSE), run programs of it, and then not answer; and anybody can keep the lock of its own mappings.
# No session waits for that: it starts, it ends, and its module goes.
#: host: cc -O1 -g -static -pthread -o served "$AREA/_served.c"
#: host: "$STAP" -p4 -r "$R" -m stacks "$AREA/_served_stacks.stp" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m memory "$AREA/_served_memory.stp" "$W/served" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m counted -e 'probe perf.sw.cpu_clock.hz(100).process("'"$W"'/served") { n <<< 1 } global n probe timer.ms(10) { if (!k++) println("begin") } global k probe end { println(@count(n) >= 0) }' >/dev/null
#: timeout: 300
#: long: programs compute all the while
modprobe fuse 2>/dev/null || [ -e /sys/fs/fuse ] || skip 'needs a kernel with FUSE'
[ -e /dev/fuse ] || mknod /dev/fuse c 10 229
place=$(mktemp -d)
./served serve $place ./served 2>server-errors & server=$!
eventually 30 test -x $place/program
$place/program spin & spinning=$!
./served touch $place/silent & touching=$!
./served hold $place/broken & holding=$!
# A further read of the process would wait, too.
eventually 30 eval 'cat /proc/$touching/task/*/stack | grep -q fuse'
eventually 30 eval 'cat /proc/$holding/task/*/status | grep -q "^State:.D"'
kill -USR1 $server

# ends MODULE: it goes within the time, even if handlers still wait.
ends() {
    "$STAPRUN" -d $1 || :
    eventually 10 eval "! grep -q '^$1 ' /proc/modules"
}
# The loader is killed in the middle, and is gone.
"$STAPRUN" stacks.ko >out 2>err & staprun=$!
eventually 30 grep -q begin out
sleep 1
kill -KILL $staprun
wait $staprun || :
ends stacks
# It ends by itself, and has samples of both programs; of memory that does not come in there is an error.
"$STAPRUN" --duration=2 stacks.ko >out 2>err || fail "$(cat out err)"
cat out err
grep -qx 'program 1 served 1' out || fail 'no samples'
"$STAPRUN" --duration=2 counted.ko >out 2>err || fail "$(cat out err)"
cat out err
is_equal 'counted' "$(tail -n 1 out)" 1
"$STAPRUN" memory.ko >out 2>err || fail "$(cat out err)"
cat out err
is_equal 'memory that does not come' "$(grep -c '^read fault .* at 0x7' out)" 1
is_equal 'mappings that are locked' "$(grep -c ' the mappings of this process are being changed right now$' out)" 1
kill -KILL $server $spinning $touching $holding
wait
umount -l $place
