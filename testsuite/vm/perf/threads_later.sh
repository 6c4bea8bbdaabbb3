# SPDX-License-Identifier: GPL-2.0-or-later
# A thread has counted nothing, or next to nothing, before the first instruction. An event that the machine does not have is an
# error.
#: host: cc -O2 -static -pthread -o threads "$AREA/_threads.c"
#: host: "$STAP" -p4 -r "$R" -m later "$AREA/_threads_later.stp" "$W/threads" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m absent -e 'probe perf.type(1).config(99).process(@1).counter("x") {} probe timer.s(5) { exit() }' "$W/threads" >/dev/null
#: timeout: 180
"$STAPRUN" later.ko >out 2>err &
staprun=$!
eventually 60 grep -q ready out
./threads 1 20 >/dev/null
kill -INT $staprun
wait $staprun || fail "status $?"
cat out err
is_equal 'messages' "$(cat err)" ''
is_equal 'what was counted' "$(grep early out)" 'early 0, seen 1, total 1'
"$STAPRUN" absent.ko >out 2>err && fail 'an event that is not there is no error'
cat out err
grep -Eq '^ERROR: probe perf\.type\(1\)\.config\(99\)\.process\("[^"]*/threads"\)\.counter\("x"\) registration error: this machine has no performance event of type 1 with configuration 99$' err || fail 'the message'
