# SPDX-License-Identifier: GPL-2.0-or-later
# One of 10,000 requests takes a second. Each run has to catch it with its stack and its last 100 events, as the program wrote them down.
# ROUNDS says how often. Other requests may be slow, too, if the host takes the processor away: then the program says so.
#: host: gcc -O1 -g -o serve "$AREA/_serve.c" && "$STAP" -p4 -r "$R" -m slow "$AREA/_slow.stp" "$W/serve" >/dev/null
#: timeout: 300
#: long: tens of thousands of requests
#: records: also
for ((round = 1; round <= ${ROUNDS:-3}; round++)); do
    which=$((round * 7919 % 10000))
    "$STAPRUN" slow.ko --format=json -c "./serve $which 1200 log" >out 2>err || { cat out err; fail "round $round"; }
    python3 "$AREA/_caught.py" out log $which >said || { cat out err said; fail "round $round: not as the program says"; }
done
# The session ends with the first one.
"$STAPRUN" slow.ko --until slow -c './serve 100 1200 log' >out 2>err || { cat out err; fail '--until'; }
is_equal 'triggers until the first one' "$(grep -c '^TRIGGER slow ' out)" 1
"$STAPRUN" slow.ko --max-events 1 -c './serve 100 1200 log' >out 2>err || { cat out err; fail '--max-events'; }
is_equal 'triggers of at most one' "$(grep -c '^TRIGGER slow ' out)" 1
is_equal 'events in front of the trigger' "$(grep -c '^ *-[0-9.]* s  requests, ' out)" 100
