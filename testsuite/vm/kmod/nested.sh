# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers that only count, but call what is probed: entries that have an ftrace_ops of their own, many that share one, returns, and
# tracepoints. A hit in the middle of another one is skipped and counted; nothing piles up on the kernel's stack.
#: long: many rounds beside load
#: timeout: 240
#: host: "$STAP" -p4 -r "$R" -m own -e 'global last probe kernel.function("__task_pid_nr_ns") { last = pgrp() } probe kernel.function("find_pid_ns") { last = pid2task(tid()) } probe end { println(last ? "hit" : "") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m shared -e 'global last probe kernel.function("*pid_*"), kernel.function("*_pid*") { last = pgrp() + sid() + pid2task(pid()) } probe end { println(last ? "hit" : "") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m returns -e 'global last probe kernel.function("__task_pid_nr_ns").return { last = sid() } probe kernel.function("find_pid_ns").return { last = pid2task(tid()) } probe end { println(last ? "hit" : "") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m trace -e 'global last probe kernel.trace("sched_process_fork"), kernel.trace("sched_switch"), kernel.trace("sched_waking") { last = pgrp() } probe kernel.function("__task_pid_nr_ns") { last = sid() } probe end { println(last ? "hit" : "") }' >/dev/null
#: records: also
cat >load <<'END'
i=0
while [ $i -lt 15 ]; do
    (ls /proc/self/ >/dev/null) | cat
    i=$((i + 1))
done
END
for module in own shared returns trace; do
    # The very last hit may have been that of an idle processor, whose task has nothing of what is asked for.
    for _ in 1 2 3; do
        "$STAPRUN" --ledger=ledger --limit MAXSKIPPED=1000000000 $module.ko -c "sh load" >out 2>err || fail "$module: $(cat err)"
        [ "$(cat out)" != hit ] || break
    done
    is_equal "what $module saw" "$(cat out)" hit
    grep -q '"balanced": true' ledger || fail "$module: the ledger does not add up"
    # The kernel itself counts the returns that it left out.
    [ $module = returns ] || grep -Eq '"reentry": [1-9]' ledger || fail "$module: no hit came in the middle of another one"
done
