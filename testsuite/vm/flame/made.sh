# SPDX-License-Identifier: GPL-2.0-or-later
# Code that a program has made at run time has names in pictures, by /tmp/perf-PID.map, and stacks go through it by frame pointers.
# Also when the program has ended, and not when somebody else has written the file.
#: host: gcc -O1 -g -o made "$AREA/_made.c"
#: host: "$STAP" -p4 -r "$R" -m oncpu -c "$W/made" run oncpu >/dev/null
#: timeout: 120
#: long: seconds of samples of an emulated processor
#: records: no, it makes pictures
status=0
"$STAPRUN" oncpu.ko --record run.tapir -o made.folded -c ./made >out 2>err || status=$?
[ $status = 0 ] || [ $status = 3 ] || { cat out err; fail "status $status"; }
# sum PATTERN: samples of the stacks with it.
sum() { awk -v p="$1" '$0 ~ p { s += $NF } END { print s + 0 }' made.folded; }
outer=$(sum ';main;call_made_code;made_outer [0-9]*$') inner=$(sum ';main;call_made_code;made_outer;made_inner [0-9]*$')
[ "$outer" -ge 50 ] && [ "$inner" -ge 50 ] || { cat made.folded; fail "outer $outer, inner $inner"; }
# Hits between the clock's tick and the code's own are few.
all=$(sum 'call_made_code|made_|code in no file') lost=$(sum 'code in no file|code that is in no file|call_made_code;made_inner')
[ $((lost * 50)) -le "$all" ] || { cat made.folded; fail "$lost of $all samples are not whole and named"; }
status=0
"$STAPRUN" oncpu.ko -o theirs.folded -c "./made theirs" >out 2>err || status=$?
[ $status = 0 ] || { cat out err; fail "another owner: status $status"; }
! grep made_outer theirs.folded || fail "another owner's names"
grep "somebody else than the process's user owns it" theirs.folded || fail "it is not told: $(head -20 theirs.folded)"
