# SPDX-License-Identifier: GPL-2.0-or-later
# -o NAME.svg of a script with samples is a picture of them; what it prints goes to standard output. Without samples, and with
# another suffix, it is the output. Too few whole samples are status 3. Samples without a frame are in the picture, too: a program has no
# stack of its own while execve() replaces it.
#: host: gcc -O1 -g -pthread -o truth "$AREA/_truth.c"
#: host: "$STAP" -p4 -r "$R" -m alloc -c "$W/truth" run alloc >/dev/null
#: host: "$STAP" -p4 -r "$R" -m says -c "$W/truth" -e '@profile("x", "y") probe process.syscall { if (pid() == target() && !seen++) { println("said") @sample(stacks(), 7) } } global seen' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m execs -c "$W/truth" -e '@profile("x", "y") probe kernel.trace("sched_process_exec") { if (pid() == target()) { @sample(ubacktrace(), 2) @sample("", 3) } }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m plain -e 'probe begin { println("<html>") exit() }' >/dev/null
#: timeout: 120
#: long: a dozen sessions
#: records: no, it makes pictures
"$STAPRUN" alloc.ko -o alloc.svg -c "./truth alloc >said" >out 2>err || fail "alloc: status $?: $(cat err)"
is_equal 'output' "$(cat out)" ''
grep -qx 'wrote alloc.svg: [0-9,]* samples, [0-9.,]* [MK]iB, .*' err || fail "what was written is not told: $(cat err)"
grep -q '<svg' alloc.svg && grep -q 'allocate_large' alloc.svg && grep -q 'memory allocated' alloc.svg || fail 'the picture'
"$STAPRUN" alloc.ko --record run.tapir -o alloc.folded -c "./truth alloc >said" >out 2>err || fail "both: status $?: $(cat err)"
"$BIN/stap-report" run.tapir -o again.folded
cmp alloc.folded again.folded || fail 'the capture is not that of the picture'
for f in allocate_large allocate_small grow_one; do
    is_equal $f "$(awk -v f=$f '(";" $0) ~ ";" f "[; ]" { s += $NF } END { print s + 0 }' alloc.folded)" "$(awk -v f=$f '$1 == f { print $2 }' said)"
done
status=0
"$STAPRUN" says.ko -o says.html -c "./truth heap >said" >out 2>err || status=$?
is_equal 'status of one complete sample' $status 0
grep -qx 'wrote says.html: 1 sample, .*' err || fail "$(cat err)"
is_equal 'output beside a picture' "$(cat out)" 'said'
grep -q '<canvas' says.html || fail 'the page'
# Its name has the time, as that of any output.
year=$(date +%Y)
"$STAPRUN" says.ko -o 'says-%Y-%%.folded' -c "./truth heap >said" >out 2>err || fail "$(cat err)"
[ -s "says-$year-%.folded" ] || [ -s "says-$(date +%Y)-%.folded" ] || fail "$(ls says*)"
status=0
"$STAPRUN" execs.ko -o execs.folded -c "./truth heap >said" >out 2>err || status=$?
is_equal 'status of stacks without frames' $status 3
is_equal 'sum of stacks without frames' "$(awk '!/^#/ { s += $NF } END { print s + 0 }' execs.folded)" 5
grep -q '^\[no stack\] 3$' execs.folded || fail "$(cat execs.folded)"
"$STAPRUN" plain.ko -o plain.html >out 2>err || fail "$(cat err)"
is_equal 'a script without samples' "$(cat plain.html; cat out err)" '<html>'
! "$STAPRUN" alloc.ko -D -o alloc.svg >out 2>err || fail '-D'
grep -q 'exclude each other' err || fail "$(cat err)"
