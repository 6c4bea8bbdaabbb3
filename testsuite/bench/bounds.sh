#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long handlers keep others waiting, in one guest boot whose clock counts instructions (one is 1 ns): scripts that ask for as much as
# they can in one statement. Prints a line for each: the longest handler, the longest time in which a program of the highest priority could
# not run, both in microseconds, and how the session ended.
#   bounds.sh [--check] [RELEASE]
#     --check     fail if one of them is over LIMIT (default 11000: MAXTIME and what passes between two looks), or a session does not end as
#                 the table says
# ROWS in the environment names some rows of the table only. CPU=max lets the guest know of a hypervisor: handlers take longer.
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
script searches 'keyword .for.|identifier .n.' '-D MAXSTRINGLEN=65536' "$texts probe timer.ms(20) { $by_interrupt for (i = 0; i < 400; i++) n += isinstr(text, part) }"
script sort 'keyword .foreach.' '-D MAXACTION=200000' "$(array 300000) probe timer.ms(20) { $by_interrupt foreach (k in a-) break }"
script report - '-D MAXACTION=200000' "$(array 65536)"' probe timer.ms(20) { foreach (k in a-) { if (++rows > 38) break; printf("%d %d\\n", k, a[k]) }; exit() }'
script delete - '-D MAXACTION=200000' "$(array 300000) probe timer.ms(20) { $by_interrupt delete a; exit() }"
script all_search 'keyword .for.|identifier .n.' '-D MAXSTRINGLEN=65536' "$texts probe $(timers 110) { $by_interrupt for (i = 0; i < 400; i++) n += isinstr(text, part) }"
script all_sort 'keyword .foreach.' '-D MAXACTION=200000' "$(array 300000) probe $(timers 110) { $by_interrupt foreach (k in a-) break }"
script tolerated 'keyword .for.|identifier .n.' '-D MAXSTRINGLEN=65536 -D MAXERRORS=19' "$texts probe $(timers 20) { $by_interrupt for (i = 0; i < 400; i++) n += isinstr(text, part) }"

gcc -O2 -static -o "$work/bounds" "$here/bounds.c"
cat >"$work/guest.sh" <<END
cd "$work"
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
while read -r name ends; do
    ./bounds >waited &
    waiting=\$!
    status=0
    "$bin/staprun" -t --ledger ledger.json -T 5 bounds_\$name.ko </dev/null >out 2>err || status=\$?
    kill \$waiting
    wait \$waiting
    handler=\$(grep '"timer' ledger.json | sed 's/.*"max": \([0-9]*\).*/\1/' | sort -n | tail -n 1)
    echo "\$name \$((handler / 1000)) \$(cat waited) \$status \$(grep -m 1 '^ERROR' err || echo -)"
done <table
dmesg | grep 'detected stalls\|soft lockup\|hrtimer: interrupt took\|BUG:\|WARNING:' | sed 's/^/log /'
:
END
mkdir "$work/bin"
qemu=$(command -v qemu-system-x86_64)
# As a machine of its own: where a hypervisor is known, not all of a handler's time counts.
printf '#!/bin/sh\nexec %s "$@" -cpu "${CPU:-max,-hypervisor}" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
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
