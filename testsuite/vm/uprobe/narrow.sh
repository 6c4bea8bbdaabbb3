# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that a probe is not meant for get no breakpoint: bare `process` in target() and its descendants, process(PID) in this
# one only, whose children lose the breakpoint that they inherit.
#: host: cc -O2 -g -o watched "$AREA/_watched.c"
#: host: ./watched host never >/dev/null 2>&1 & echo $! >pid
#: scripts: _narrow.stp
#: stap: -c ./watched
#: script-args: $(cat pid)
#: requires: config CONFIG_MEMCG=y CONFIG_CHECKPOINT_RESTORE=y
# The process that was there when the script was translated has its number again.
pid=$(cat pid)
echo 4194304 >/proc/sys/kernel/pid_max
as_named() {
    echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
    ./watched named go >named &
    [ $! = "$pid" ] || { kill $!; return 1; }
}
eventually 10 as_named
./watched other go >other &
"$STAPRUN" _narrow.ko -c "bash -c './watched target . >target; touch go; until [ -e done ]; do sleep 0.1; done'" >hits &
run=$!
wait %1 %2 2>/dev/null || true
eventually 30 grep -q named-exec named
eventually 30 grep -q other-exec other
touch done
wait $run
is_equal "the target's family" "$(cat target)" "target probed 1
target-child probed 1 then 1
target-exec probed 1"
is_equal "the process by number" "$(cat named)" "named probed 1
named-child probed 1 then 0
named-exec probed 0"
is_equal "another process" "$(cat other)" "other probed 0
other-child probed 0 then 0
other-exec probed 0"
is_equal "hits" "$(cat hits)" "target target 3
target target-child 1
target target-exec 1
named named 3"
