# SPDX-License-Identifier: GPL-2.0-or-later
# A probe whose condition does not hold is not attached: the kernel's own lists say so, and its counts are exact.
#: long: probes are attached and detached many times
#: scripts: _conditional.stp
#: host: cc -O2 -static -o repeat "$AREA/_repeat.c"
#: timeout: 120
#: records: also
getppid=110 getpgid=121 getsid=124
functions() { cut -d' ' -f1 /sys/kernel/tracing/enabled_functions; }
# Some of them have several names.
traced() { functions | grep -q "_sys_$1\$"; }
untraced() { ! traced "$1"; }
kprobe_on() { grep '__put_user_4' /sys/kernel/debug/kprobes/list | grep -qv DISABLED; }
kprobe_off() { grep '__put_user_4' /sys/kernel/debug/kprobes/list | grep -q DISABLED; }
timers() { grep -c tapir_hrtimer_fired /proc/timer_list || :; }
# A timer that fires while the list is read may be in it twice.
one_timer() { is "$(timers)" 1; }
no_timer() { is "$(timers)" 0; }
is() { [ "$1" = "$2" ]; }
is_armed() {
    eventually 10 traced getppid
    eventually 10 kprobe_on
    eventually 10 one_timer
}
is_disarmed() {
    eventually 10 untraced getppid
    eventually 10 kprobe_off
    eventually 10 no_timer
}
"$STAPRUN" --ledger=ledger _conditional.ko >out &
pid=$!
eventually 20 grep -q running out
is_disarmed
./repeat $getppid 1000
for round in 1 2 3; do
    ./repeat $getpgid 1
    is_armed
    ./repeat $getppid 1000
    seq 10000 | sort >/dev/null
    ./repeat $getsid 1
    # The condition holds no more, whether the probe is still attached or not.
    ./repeat $getppid 1000
    is_disarmed
    ./repeat $getppid 1000
    traced getpgid || fail 'a probe without condition was disarmed'
done
kill -INT $pid
wait $pid
is_equal 'what was counted' "$(tail -n 1 out)" 'calls 3000 copies 1 ticks 1 1 asked 0'
grep -q '"balanced": true' ledger || fail 'the ledger does not balance'
is_equal 'functions still traced' "$(functions)" ''
is_equal 'timers still there' "$(timers)" 0
! grep -q __put_user_4 /sys/kernel/debug/kprobes/list || fail 'a kprobe is still there'
