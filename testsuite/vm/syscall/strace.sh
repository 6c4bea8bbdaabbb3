# SPDX-License-Identifier: GPL-2.0-or-later
# A program that makes two hundred different system calls, under strace and under tools/syscalls/strace.stp: names, arguments and results agree
# (_compare.py says where they may not, and why).
#: long: two hundred system calls under strace
#: host: cc -O1 -w -static -no-pie -o every "$AREA/_every.c"
#: host: "$STAP" -p4 -r "$R" -m strace run strace >/dev/null
#: host: "$STAP" -p4 -r "$R" -m strace_some run strace -e '^(umask|dup.*)$' >/dev/null
#: host: "$STAP" -r "$R" -l 'syscall.*' >known
#: requires: program strace python3
#: timeout: 120
#: records: also
run() { rm -rf /tmp/every; "$@" >/dev/null; }
run strace -f -v -e abbrev=execve,execveat -o decoded ./every
run strace -f -v -e raw=all -o raw ./every
rm -rf /tmp/every
"$STAPRUN" strace.ko -o ours -c ./every
python3 "$AREA/_compare.py" decoded raw ours known >report || { head -c 6000 report; fail "they differ"; }
tail -n 1 report
[ "$(grep -oE 'of [0-9]+ kinds' report | grep -oE '[0-9]+')" -ge 190 ] || fail "too few system calls"

# The options: the same program makes the same calls.
calls() { sed -nE "s/^[0-9]+ ([a-z0-9_]+)\(.*\) = $1.*/\1/p" "$2" | sort; }
rm -rf /tmp/every
"$STAPRUN" strace.ko failed=1 -o failed -c ./every
is_equal 'calls that failed' "$(calls -[0-9] failed)" "$(calls -[0-9] ours)"
is_equal 'calls that succeeded' "$(calls '[0-9]' failed)" ''
rm -rf /tmp/every
"$STAPRUN" strace_some.ko -o some -c ./every
is_equal 'calls by name' "$(calls '' some)" "$(calls '' ours | grep -E '^(umask|dup.*)$')"
"$STAPRUN" strace.ko min=900000 -o long -c 'sleep 1'
is_equal 'calls that took long' "$(calls '' long | grep -cE '^(clock_nanosleep|brk|openat)$')" "$(calls '' long | grep -c '^clock_nanosleep$')"
grep -q 'clock_nanosleep(' long || fail "no call took long: $(cat long)"

# The same calls as rows.
rm -rf /tmp/every
"$STAPRUN" strace.ko table=1 --format=csv -o rows -c ./every
python3 - ours rows <<'END' || fail 'rows are not the calls'
import csv, re, sys
text, rows = sys.argv[1:]
lines = [re.match(r"\d+ (\w+)\(.*\) = ", line) for line in open(text, newline="\n", errors="replace")]
table = list(csv.DictReader(open(rows, newline="", errors="replace")))
# Its first calls are those of staprun's child, and it becomes /proc/self/exe once.
programs = {row["program"] for row in table}
assert {"every"} <= programs <= {"staprun", "every", "exe"}, programs
assert all((row["took (us)"] == "") == (row["call"] in ("exit", "exit_group")) for row in table)
assert sorted(line[1] for line in lines if line) == sorted(row["call"] for row in table), (len(lines), len(table))
END
