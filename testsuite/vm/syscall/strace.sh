# SPDX-License-Identifier: GPL-2.0-or-later
# A program that makes two hundred different system calls, under strace and under examples/strace.stp: names, arguments and results agree
# (_compare.py says where they may not, and why).
#: long: two hundred system calls under strace
#: host: cc -O1 -w -static -no-pie -o every "$AREA/_every.c"
#: host: "$STAP" -p4 -r "$R" -m strace "$AREA/../../../examples/strace.stp" >/dev/null
#: host: "$STAP" -r "$R" -l 'syscall.*' >known
#: requires: program strace python3
#: timeout: 120
run() { rm -rf /tmp/every; "$@" >/dev/null; }
run strace -f -v -e abbrev=execve,execveat -o decoded ./every
run strace -f -v -e raw=all -o raw ./every
rm -rf /tmp/every
"$STAPRUN" strace.ko -o ours -c ./every
python3 "$AREA/_compare.py" decoded raw ours known >report || { head -c 6000 report; fail "they differ"; }
tail -n 1 report
[ "$(grep -oE 'of [0-9]+ kinds' report | grep -oE '[0-9]+')" -ge 190 ] || fail "too few system calls"
