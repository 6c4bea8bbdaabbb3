# SPDX-License-Identifier: GPL-2.0-or-later
# The scheduler's probes, against what a program knows of its own switches, children and moves, and against ps.
#: long: many processes that wait for each other
#: scripts: _scheduler.stp
#: requires: debug-info
#: host: cc -O2 -o scheduler "$AREA/_scheduler.c" -pthread
#: host: SYSTEMTAP_DEBUGINFO_PATH=/nonexistent "$BIN/stap" -r "$R" -p4 -m cpu_on "$AREA/_cpu_on.stp"
#: cpus: 2
#: timeout: 90
pipe=$(mktemp -u /run/pipe.XXXXXX)
mkfifo "$pipe"
exec 3<>"$pipe"
"$STAPRUN" _scheduler.ko cpus="$(nproc)" -c ./scheduler <"$pipe" >both &
staprun=$!
eventually 30 grep -q ready both
modprobe pktgen
stops=$(ps -eo pid,comm | sed -n 's/^ *\([0-9]*\) kpktgend_.*/\1/p' | sort -n)
modprobe -r pktgen
echo >&3
wait $staprun || fail "staprun ended with $?"
cat both
switches=$(sed -n 's/^switches //p' both)
set -- $(sed -n 's/^counted //p' both)
# It may lose its processor between a getrusage() and the getppid() next to it, too.
[ "$1" -ge "$switches" ] && [ "$1" -le $((switches + 4)) ] || fail "$1 switches, by getrusage() $switches"
is_equal 'cpu_on and ctxswitch' "$2 $3 $4" "$1 $1 $1"
[ "$5" -ge 30 ] && [ "$5" -le 52 ] || fail "$5 wakeups"
[ "$6" -ge 30 ] || fail "asleep $6 times"
is_equal 'family' "$(sed -n 's/^family //p' both)" '5 5 5 5 new 5 3 sent 1 bad 0'
is_equal 'tasks that come' "$(grep '^coming' both)" 'coming ready'
is_equal 'children' "$(grep '^fork' both | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
is_equal 'moves' "$(sed -n 's/^moved //p' both | tail -n 2)" "0 1 120
1 0 120"
is_equal 'ticks' "$(grep '^busy' both)" 'busy 1 idle 1 balances 1'
is_equal 'stopped threads' "$(sed -n 's/^stop \([0-9]*\) 120$/\1/p' both | sort -n)" "$stops"
is_equal 'results' "$(sed -n 's/^stopped //p' both)" "0 $(echo "$stops" | wc -l)"
# Without debug information: who comes has the processor from who went.
"$STAPRUN" cpu_on.ko -c 'ls -R /proc/self/' >without
[ "$(sed -n 's/^good //p' without)" -gt 0 ] || fail 'no switches without debug information'
is_equal 'wrong' "$(grep '^bad' without)" 'bad 0'
