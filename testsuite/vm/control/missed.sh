# SPDX-License-Identifier: GPL-2.0-or-later
# Hits that are not delivered count as skipped ones do, whichever kind of probe has missed them: up to MAXSKIPPED they are told of, one
# more makes the exit status 1. The script's report is there in both cases. The program knows how many calls there were.
#: host: cc -O1 -g -Wall -o threads "$AREA/_threads.c" -pthread
#: host: "$STAP" -p4 -r "$R" -m returns -e 'global n probe kernel.function("hrtimer_nanosleep").return.maxactive(1) { n++ } probe end { println(n >= 0 ? "report" : "") } probe error { println("error probe") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m nested -e 'global n probe kernel.function("copy_from_kernel_nofault").return { n++ } probe kernel.function("hrtimer_nanosleep").return { for (i = 0; i < 50; i++) n += strlen(kernel_string(task_current())) >= 0 } probe end { println(n >= 0 ? "report" : "") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m user -DMAXSTRINGLEN=65536 -e 'global n probe process("'"$W"'/threads").function("stay").return { n += strlen(@entry(execname())) } probe end { println(n >= 0 ? "report" : "") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m calls -e 'global n probe syscall.nanosleep.return, syscall.clock_nanosleep.return { n += @entry(pid()) } probe end { println(n >= 0 ? "report" : "") }' >/dev/null
#: timeout: 300
#: long: some twenty sessions
#: records: also
# run MODULE THREADS MAXSKIPPED [OPTION...]
run() {
    local module=$1 threads=$2 limit=$3
    status=0
    "$STAPRUN" $module.ko --ledger=ledger.json --limit MAXSKIPPED=$limit -c "./threads $threads" "${@:4}" >out 2>err || status=$?
    missed=$(grep -v '"calls"' ledger.json | grep -o '"missed": [0-9]*' | awk '{ sum += $2 } END { print sum }')
    echo "$*: status $status, missed $missed"
}
# Nothing is left out of the report, and what is wrong is said once.
is_over() {
    is_equal "status of $1" "$status" 1
    grep -qx report out || { cat out err; fail "$1: no report"; }
    is_equal "errors of $1" "$(grep ^ERROR err)" "ERROR: Skipped too many probes, check MAXSKIPPED or try again with stap -t for more details."
    grep -Eq "^WARNING: Number of errors: 0, skipped probes: $missed\$" err || { cat err; fail "$1: the number is not told"; }
    grep -Eq "^ledger: probe .* missed [1-9]" err || { cat err; fail "$1: the ledger is not told"; }
}
is_within() {
    is_equal "status of $1" "$status" 0
    is_equal "output of $1" "$(cat out)" report
    grep -Eq "^WARNING: Number of errors: 0, skipped probes: $missed\$" err || { cat err; fail "$1: the number is not told"; }
}

# Instances of returns: one call has it, the others do not.
run returns 150 100
is_over 'returns'
[ "$missed" -ge 149 ] || fail "$missed returns were missed"
grep -qx 'error probe' out || fail 'the error probe did not run'
run returns 2 0
is_over 'returns without a limit'
run returns 150 10000
is_within 'few returns'
[ "$missed" -ge 149 ] || fail "$missed returns were missed"
grep -q 'error probe' out && fail 'the error probe ran'
run returns 150 100 --suppress-handler-errors
is_within 'returns whose errors are suppressed'

# Kprobes within handlers of kprobes: each of a return's 50 strings.
run nested 10 499
is_over 'nested kprobes'
run nested 10 1000000
is_within 'nested kprobes'
[ "$missed" -ge 500 ] || fail "$missed nested hits were missed"

# Room for what returns want to know of the entries of their calls: 64 MB in programs, here 64 KB for each; 4096 in system calls.
run user 1100 20
is_over 'user functions'
[ "$missed" -ge 70 ] && [ "$missed" -le 200 ] || fail "$missed user functions were missed"
run user 1100 $missed
is_within 'user functions'
run calls 4200 103
is_over 'system calls'
[ "$missed" -ge 104 ] || fail "$missed system calls were missed"
