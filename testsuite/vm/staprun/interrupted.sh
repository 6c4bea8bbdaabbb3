# SPDX-License-Identifier: GPL-2.0-or-later
# Signals and the loader's death end a session that is arming tens of thousands of places, at once and not when all are armed: of
# kernel statements (or returns, without debug information), functions, tracepoints, and functions of a program. ROUNDS=100 for more.
#: requires: program perl
#: timeout: 120
#: long: tens of thousands of places are armed, many times
#: host: "$STAP" -l 'kernel.statement("*@fs/*.c:*")' -r "$R" >/dev/null 2>&1 && point='kernel.statement("*@fs/*.c:*")' || point='kernel.function("*").return'; "$STAP" -p4 -r "$R" -m many -e 'global n probe begin { println("begin") } probe '"$point"' { n <<< 1 } probe end { println("end") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m some -e 'global n probe begin { println("begin") } probe kernel.function("vfs_*").return, kernel.function("*"), kernel.trace("sched*"), process("/bin/bash").function("*") { n <<< 1 } probe end { println("end") }' >/dev/null
#: records: no, it looks at the process of staprun
interrupt() { perl "$AREA/_interrupt.pl" "$STAPRUN" "$@" || fail "$*"; }
none_is_left() {
    is_equal 'kprobes' "$(wc -l </sys/kernel/debug/kprobes/list)" 0
    is_equal 'functions' "$(wc -l </sys/kernel/tracing/enabled_functions)" "$functions"
}

# The kernel's own: its live patches, say.
functions=$(wc -l </sys/kernel/tracing/enabled_functions)
for round in $(seq "${ROUNDS:-1}"); do
    for what in many.ko=TERM many.ko=KILL some.ko=TERM many.ko=TERM,TERM,TERM some.ko=KILL; do
        interrupt "${what%=*}" "${what#*=}" $((RANDOM % 2000))
        none_is_left
    done
done
