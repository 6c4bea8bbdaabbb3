# SPDX-License-Identifier: GPL-2.0-or-later
# tools/points/slowrequest.stp on a program that serves 10,000 requests, one of which sleeps for 1.2 s in a function of its own. The program's log
# says which requests took long; a busy host may make others slow, too.
#: host: gcc -O1 -g -o serve "$AREA/../trigger/_serve.c"
#: host: "$STAP" -p4 -r "$R" -m slowrequest run slowrequest handle -c "$W/serve 1 1 log" >/dev/null
#: timeout: 120
#: long: tens of thousands of requests
#: records: also
traced() { "$STAPRUN" slowrequest.ko -c "$W/serve 7919 1200 log" "$@" >out 2>err || { cat out err; fail "slowrequest $*"; }; }
traced min=1000000
grep -q '^7919 12[0-9][0-9]$' out || { cat out; fail 'the program was not slow'; }
is_equal 'slow calls' "$(grep -c '^TRIGGER slow ' out)" "$(grep -Ec '^[0-9]+ [0-9]{4,}$' out)"
[[ $(grep -E 'handle took 1[2-9][0-9]{5} us$' out) == *' serve('* ]] || { cat out; fail 'the time of the slow call'; }
# clock_nanosleep() is 230. It is left when the wait is over, and the call's beginning is in front of both.
awk '/: the call begins$/ { state = 1 } /: system call 230$/ && state == 1 { state = 2 } /: waited 1[2-9][0-9]* us$/ && state == 2 { state = 3 }
     /: system call 230 returns 0$/ && state == 3 { found = 1 } END { exit !found }' out || { cat out; fail 'the wait among the events'; }
awk '/The longest wait took 1[2-9][0-9]* us:/ { inside = 1 } inside && /ask_backend/ { own = 1 } own && /main/ { found = 1 } END { exit !found }' out ||
    { cat out; fail 'the stack of the wait'; }
# Nothing is that slow; and all are slow, of which three are printed.
traced min=60000000
is_equal 'calls of a minute' "$(grep -c '^TRIGGER' out)" 0
traced min=0 most=3
is_equal 'the first three calls' "$(grep -c '^TRIGGER slow ' out)" 3
