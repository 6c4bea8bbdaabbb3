#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long handlers keep others waiting, in one guest boot whose clock counts instructions (one is 1 ns): scripts that ask for as much as
# they can in one statement. Prints a line for each: the longest handler, the longest time in which a program of the highest priority could
# not run, both in microseconds, and how the session ended.
#   bounds.sh [--check] [RELEASE]
#     --check     fail if one of them is over LIMIT (default 11000: MAXTIME and what passes between two looks), or a session does not end as
#                 the table says
# ROWS in the environment names some rows of the table only. CPU=max lets the guest know of a hypervisor. It has one processor and could
# have 255; SMP=1 lets it have one.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
limit=
[ "${1:-}" != --check ] || { limit=${LIMIT:-11000}; shift; }
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

texts='global text, part, n probe begin {
    part = "a"; for (i = 0; i < 10; i++) part .= part
    text = part; for (i = 0; i < 6; i++) text .= text
    part .= "b"
}'
# An array of $1 elements.
array() { printf 'global a[%d] probe begin { for (i = 0; i < %d; i++) a[i] = i * 7919 %% 300007 }' "$1" "$1"; }
# Times of a period that come at once: $1 of them.
timers() { printf 'timer.ms(20)'; for ((i = 1; i < $1; i++)); do printf ', timer.ms(20)'; done; }

# The session's thread runs timers that ask for nothing of the kind. Only "report" is such a one; reports.sh looks at them.
by_interrupt='where = cpu();'

# script NAME ENDS OPTIONS TEXT: ENDS is what the error says, or "-" for none
: >"$work/table"
script() {
    [[ " ${ROWS:-$1} " == *" $1 "* ]] || return 0
    # shellcheck disable=SC2086 # options are words
    (cd "$work" && "$bin/stap" -p4 -w -r "$release" -m "bounds_$1" $3 -e "global where $4" >/dev/null)
    echo "$1 $2" >>"$work/table"
}
script nothing - '' 'global n probe timer.ms(20) { if (++n > 20) exit() }'
script search - '-D MAXSTRINGLEN=65536' "$texts probe timer.ms(20) { $by_interrupt n += isinstr(text, part); if (++turn > 20) exit() } global turn"
script searches 'keyword .for.|identifier .(n|strpos).' '-D MAXSTRINGLEN=65536' "$texts probe timer.ms(20) { $by_interrupt for (i = 0; i < 400; i++) n += isinstr(text, part) }"
script sort 'keyword .foreach.' '-D MAXACTION=200000' "$(array 300000) probe timer.ms(20) { $by_interrupt foreach (k in a-) break }"
script report - '-D MAXACTION=200000' "$(array 65536)"' probe timer.ms(20) { foreach (k in a-) { if (++rows > 38) break; printf("%d %d\\n", k, a[k]) }; exit() }'
script delete - '-D MAXACTION=200000' "$(array 300000) probe timer.ms(20) { $by_interrupt delete a; exit() }"
script all_search 'keyword .for.|identifier .(n|strpos).' '-D MAXSTRINGLEN=65536' "$texts probe $(timers 110) { $by_interrupt for (i = 0; i < 400; i++) n += isinstr(text, part) }"
script all_sort 'keyword .foreach.' '-D MAXACTION=200000' "$(array 300000) probe $(timers 110) { $by_interrupt foreach (k in a-) break }"
script tolerated 'keyword .for.|identifier .(n|strpos).' '-D MAXSTRINGLEN=65536 -D MAXERRORS=19' "$texts probe $(timers 20) { $by_interrupt for (i = 0; i < 400; i++) n += isinstr(text, part) }"

# Measures the cost of an expression, and of an operation that one statement may have many times.
terms() { local i list=$2; for ((i = 1; i < $1; i++)); do list+=" + $2"; done; echo "$list"; }
turns() { echo "probe timer.hz(20) { $by_interrupt for (i = 0; i < $1; i++) $2 }"; }
usual='global usual, q probe begin { usual = "a"; for (i = 0; i < 9; i++) usual .= usual }'
samples='global s, q probe begin { for (i = 0; i < 100; i++) s <<< 1 << i % 62 }'
any='[a-z]* .*'
script symbols "$any" '' "global q $(turns 4500 "q = $(terms 900 'strlen(symname(i))')")"
script innocent "$any" '' "global q $(turns 300 "q = $(terms 100 'strlen(symname(i))')")"
script replaced "$any" '' "$usual $(turns 4500 "q = $(terms 900 'strlen(str_replace(usual, "ab", "c"))')")"
script printed "$any" '' "$usual $(turns 4500 "q = $(terms 900 'strlen(sprintf("%s %d %x", usual, i, i))')")"
script joined "$any" '' "$usual $(turns 4500 "q = $(terms 900 'strlen(usual . usual)')")"
script compared "$any" '' "$usual $(turns 4500 "q = $(terms 900 '(usual == usual . "" ? 1 : 2)')")"
script quoted "$any" '' "$usual $(turns 4500 "q = $(terms 900 'strlen(string_quoted(usual))')")"
script fractions "$any" '' "global q $(turns 4500 "q = $(terms 100 'strlen(fp_to_string(string_to_fp("1e300"), 60))')")"
script stacks "$any" '' "global q $(turns 4500 "q = $(terms 100 'strlen(sprint_backtrace())')")"
script recursive "$any" '' "function f(n) { return n ? f(n - 1) + f(n - 1) : 1 } global q $(turns 9000 'q = f(9)')"
script matched "$any" '-D MAXSTRINGLEN=32768' "$texts $(turns 4500 'n += text =~ "b.*c"')"
script grouped "$any" '-D MAXSTRINGLEN=32768' "$texts $(turns 4500 'if (text =~ "(a*)(b*)c?") n += strlen(matched(1))')"
script long_joined "$any" '-D MAXSTRINGLEN=32768' "$texts $(turns 9000 'part = text . "b"')"
script long_keys "$any" '-D MAXSTRINGLEN=32768' "$texts global a $(turns 9000 'n += a[text]')"
script counts "$any" '' "$samples $(turns 4500 "q = $(terms 200 '@hist_log(s)[i % 60]')")"
script few_counts - '' "$samples probe timer.ms(20) { $by_interrupt for (i = 0; i < 200; i++) q += @hist_log(s)[i % 60]; if (++turn > 20) exit() } global turn"
script extracts "$any" '' "$samples $(turns 9000 "q = $(terms 50 '(@variance(s) + @max(s) + @avg(s))')")"
script percentiles "$any" '' "$samples $(turns 9000 'q = @median(s) + @percentile(s, 99)')"
script histograms "$any" '' "$samples $(turns 9000 'q = strlen(sprint(@hist_log(s)))')"
gcc -O0 -g -fno-omit-frame-pointer -o "$work/deep" "$here/deep.c"
script deep "$any" "-d $work/deep" "global q probe kernel.function(\"__x64_sys_getppid\") { if (pid() == target()) for (i = 0; i < 300; i++) q += ustack(3000 - i) }"

gcc -O2 -static -o "$work/bounds" "$here/bounds.c"
cat >"$work/guest.sh" <<END
cd "$work"
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
while read -r name ends; do
    ./bounds >waited &
    waiting=\$!
    status=0
    of=
    [ \$name != deep ] || of='-c ./deep'
    "$bin/staprun" -t --ledger ledger.json -T 5 \$of bounds_\$name.ko </dev/null >out 2>err || status=\$?
    kill \$waiting
    wait \$waiting
    handler=\$(grep '"timer\\|"kernel' ledger.json | sed 's/.*"max": \([0-9]*\).*/\1/' | sort -n | tail -n 1)
    echo "\$name \$((handler / 1000)) \$(cat waited) \$status \$(grep -m 1 '^ERROR' err || echo -)"
done <table
dmesg | grep 'detected stalls\|soft lockup\|hrtimer: interrupt took\|BUG:\|WARNING:' | sed 's/^/log /'
:
END
mkdir "$work/bin"
qemu=$(command -v qemu-system-x86_64)
# As a machine of its own: where a hypervisor is known, not all of a handler's time counts.
printf '#!/bin/sh\nexec %s "$@" -smp "${SMP:-1,maxcpus=255}" -cpu "${CPU:-max,-hypervisor}" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --memory 2048 --timeout 7200 --hang 600 -- bash "$work/guest.sh" | tee "$work/rows"
[ -n "$limit" ] || exit 0

bad=0
complain() { echo "$*" >&2; bad=1; }
while read -r name ends; do
    read -r _ handler late status said <<<"$(grep "^$name " "$work/rows")" || :
    pattern="MAXTIME exceeded near ($ends) at"
    [ -n "${said:-}" ] || { complain "$name: did not end"; continue; }
    [ "$handler" -le "$limit" ] && [ "$late" -le "$limit" ] || complain "$name: more than $limit us"
    [ "$ends" != - ] || [ "$status $said" = '0 -' ] || complain "$name: was to succeed"
    [ "$ends" = - ] || [[ $said =~ $pattern ]] || complain "$name: was to end in MAXTIME, at its statement"
done <"$work/table"
! grep '^log ' "$work/rows" || complain "the kernel complained"
exit $bad
