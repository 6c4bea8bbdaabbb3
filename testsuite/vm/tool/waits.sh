# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on the time of threads, against /proc and a program that runs, sleeps and waits as long as it is told.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in states pipewait waitchain epoll runqlat runqlen; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: for t in cpudist ctxsw cpurobbers migrate throttle; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: timeout: 300
#: long: some fifteen sessions
#: cpus: 2
. "$AREA/_tools.sh"

# share FIELD: microseconds of the row of loads
share() { grep '^loads(' rows | awk -F, -v f="$1" '{ print int($f * $7 / 1000) }'; }
traced states 'run 300'
[ "$(share 2)" -ge 270000 ] || fail "ran $(share 2) us of 300,000"
is_equal 'the sum of shares' "$(grep '^loads(' rows | awk -F, '{ n = $2 + $3 + $4 + $5 + $6; print n >= 995 && n <= 1000 }')" 1
traced states 'sleep 300'
[ "$(share 4)" -ge 295000 ] || fail "slept $(share 4) us of 300,000"

# A thread that has ended is in no state any more, and threads of the kernel that wait for work are not stuck.
"$STAPRUN" "$W/states.ko" --format=csv rows=1000 -c "sh -c '$W/loads run 100; sleep 1'" >out
values out >rows
is_equal 'share of loads that is stopped' "$(grep '^loads(' rows | cut -d , -f 6)" 0
[ "$(grep '^loads(' rows | cut -d , -f 7)" -lt 900000 ] || fail "loads was there for $(grep '^loads(' rows | cut -d , -f 7) us"
"$STAPRUN" "$W/states.ko" --format=csv rows=1000 --duration 1 >out
values out >rows
grep -q '^kworker/' rows || fail 'no thread for work ran'
is_equal 'disk of threads that wait for work' "$(grep '^kworker/' rows | awk -F, '$5 > 500' | head -n 3)" ''

traced pipewait 'chain 5 50' min=40000
is_equal 'waits at pipes' "$(grep -E '^(first|middle),' rows | awk -F, '$4 >= 4 && $5 >= 50000 { sub(/\(.*/, "", $7); print $1, $3, $7 }' | sort | tr '\n' ' ')" 'first read middle middle read last '

traced waitchain 'chain 5 50' by=thread min=40000
awk -F, '/^[0-9]+,[45],[0-9]+,first\([0-9]+\) \[[a-z ]+\] < middle\([0-9]+\) \[[a-z ]+\] < last\([0-9]+\) \[sleep\] < \(a device or a timer\)$/ &&
    $1 >= 50000 * $2 { n++ } END { exit n != 1 }' rows || { cat rows; fail 'a chain of waits'; }

traced epoll 'events 40 30' min=30000
is_equal 'turns of a loop' "$(awk -F, '$5 >= 30000 { print $2, $3 }' rows)" '39 3'

# between COMMAND...: a session around what the paused program does; sums of its own counters from /proc are in `status` and `schedstat`.
counts() { awk '/ctxt_switches/ { print $2 }' /proc/$paused/status; tr ' ' '\n' </proc/$paused/schedstat; awk '/nr_migrations/ { print $3 }' /proc/$paused/sched; }
around() {
    local tool=$1 words=$2
    shift 2
    "$W/loads" $words & paused=$!
    eventually 30 grep -q '^State:.S' /proc/$paused/status
    begin $tool -x $paused "$@"
    counts >before
    kill -USR1 $paused
    sleep 0.1
    eventually 30 grep -q '^State:.S' /proc/$paused/status
    sleep 0.5
    counts >after
    paste before after | awk '{ print $2 - $1 }' | tr '\n' ' ' >counted
    finish
    kill $paused
}
around ctxsw 'paused 20 5'
set -- $(cat counted)
is_equal 'switches' "$(grep ^loads rows | cut -d , -f 2-4)" "$(($1 + $2)),$1,$2"
around cpudist 'paused 20 5' by=process
set -- $(cat counted)
is_equal 'times on a processor' "$(grep ^loads rows | cut -d , -f 2)" "$(($1 + $2))"
around runqlat 'paused 20 5' by=process
set -- $(cat counted)
is_equal 'times that it got a processor' "$(grep ^loads rows | cut -d , -f 2)" "$5"
around migrate 'moves 10'
set -- $(cat counted)
is_equal 'moves' "$(grep ^loads rows | cut -d , -f 2) $6" '10 10'

# Three threads for one processor: two are in its queue.
cp "$W/loads" robber
for i in 1 2 3; do taskset -c 1 ./robber run 60000 & done
traced runqlen 'sleep 1000'
is_equal 'the queue of a processor' "$(awk -F, '$1 == 1 { print $3, $5 >= 2, $4 >= 180 && $4 <= 320 }' rows)" '0 1 1'
cat >victim <<'E'
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
cat /proc/$$/schedstat >schedstat
E
"$STAPRUN" "$W/cpurobbers.ko" --format=csv -c 'taskset -c 1 sh victim' >out
values out >rows
taken=$(grep '^robber(' rows | awk -F, '{ n += $3 } END { print n + 0 }') waited=$(awk '{ print int($2 / 1000) }' schedstat)
[ $((taken * 10)) -ge $((waited * 7)) ] && [ $((taken * 10)) -le $((waited * 12)) ] || { cat rows; fail "robbers took $taken us of $waited"; }
pkill robber
wait

groups=/sys/fs/cgroup
[ -e $groups/cgroup.procs ] || mount -t cgroup2 none $groups
echo +cpu >$groups/cgroup.subtree_control
mkdir $groups/quota
echo '10000 100000' >$groups/quota/cpu.max
begin throttle
bash -c "echo \$\$ >$groups/quota/cgroup.procs; taskset -c 1 $W/loads run 100"
sleep 1
finish
# The kernel counts periods, of which one time may have several.
times=$(grep '/quota$' rows | cut -d , -f 1) periods=$(awk '$1 == "nr_throttled" { print $2 }' $groups/quota/cpu.stat)
[ "$times" -ge 2 ] && [ "$times" -le "$periods" ] || fail "throttled $times times, $periods periods"
awk -F, -v us="$(awk '$1 == "throttled_usec" { print $2 }' $groups/quota/cpu.stat)" '/quota$/ { exit !($4 >= us * 0.8 && $4 <= us * 1.2) }' rows ||
    { cat rows $groups/quota/cpu.stat; fail 'time without processor'; }
rmdir $groups/quota
for tool in pipewait waitchain epoll throttle; do quiet $tool; done
