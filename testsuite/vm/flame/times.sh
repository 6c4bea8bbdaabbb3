# SPDX-License-Identifier: GPL-2.0-or-later
# --times: each sample has its time and thread, sums stay what they are, and what finds no room has no time.
#: host: gcc -O1 -g -pthread -o phases "$AREA/_phases.c"
#: host: "$STAP" -p4 -r "$R" -m calls -e '@profile("calls", "calls") probe process(@1).function("one") { @sample(ubacktrace(), 1) } probe process(@1).function("two") { @sample_label("second", ubacktrace(), 1) }' "$W/phases" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m many -e '@profile("hits", "hits") probe begin { for (i = 0; i < 30000; i++) @sample(stacks(), 1) } probe process(@1).function("one") { @sample(ubacktrace(), 1) }' -DMAXACTION=1000000 "$W/phases" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m plain -e 'probe begin { exit() }' >/dev/null
#: timeout: 120
#: records: no, it makes pictures
"$STAPRUN" --times calls.ko --record run.tapir -c ./phases >out 2>err || fail "status $?: $(cat out err)"
"$BIN/stap-report" run.tapir -o run.folded
is_equal 'calls of one()' "$(awk '/;one [0-9]+$/ { s += $NF } END { print s }' run.folded)" 300
is_equal 'calls of two()' "$(awk '/^second;.*;two [0-9]+$/ { s += $NF } END { print s }' run.folded)" 200
is_equal 'threads of two()' "$("$BIN/stap-report" run.tapir --format=folded --by=tid | grep -c '^second;tid=[0-9]*;.*;two 200$')" 1
! grep '^# times:' run.folded || fail 'samples without time'
"$BIN/stap-report" run.tapir -o run.chrome.json
# Process 2 has the samples as they came: all calls of one() are a second before those of two().
tr '{' '\n' <run.chrome.json | grep '"pid":2' | sed -n 's/.*"name":"\(one\|two\)".*"ts":\([0-9.]*\).*/\1 \2/p; s/.*"ts":\([0-9.]*\).*"name":"\(one\|two\)".*/\2 \1/p' >events
is_equal 'order of calls' "$(awk '$1 == "one" && $2 > last { last = $2 } $1 == "two" && (!first || $2 < first) { first = $2 } END { print (first - last >= 1e6) }' events)" 1
status=0
"$STAPRUN" --times=1 --stack-memory=1 many.ko -o many.folded -c ./phases >out 2>err || status=$?
is_equal "status of stacks of begin, which has none" $status 3
is_equal 'sum of all' "$(awk '!/^#/ { s += $NF } END { print s }' many.folded)" 30300
untimed=$(sed -n 's/^# times: \([0-9]*\) samples have none.*/\1/p' many.folded)
# 8,192 find room in half of a megabyte.
[ "${untimed:-0}" -ge 21700 ] && [ "$untimed" -le 22700 ] || fail "$untimed samples without time: $(grep '^#' many.folded)"
! "$STAPRUN" --times plain.ko >out 2>err || fail 'a script without samples'
grep -q -e '--times has no effect: the script takes no samples (@sample)' err || fail "$(cat err)"
