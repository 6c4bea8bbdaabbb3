#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the overhead that the ledger tells with what a loop of read(2) finds by its own clock, in a guest whose clock counts
# instructions (one is 1 ns), and tells what part of the hits was measured.
#   overhead.sh [--check] [RELEASE]
#     --check   fail if an estimate is wrong by more than 40 ns a hit, or more than 1/100 of the hits was measured (1/300 in longer
#               sessions: they begin with a slice in which all are)
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
check=0
[ "${1:-}" != --check ] || { check=1; shift; }
release=$("$bin/stap-vm" --print-kernel ${1:+-k "$1"} | sed -n 's/^release //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -static -o "$work/load" "$here/hits/load.c"
hits=2000000
# NAME READS SCRIPT
table="leaf $hits global s probe kernel.function(\"vfs_read\") { s <<< 1 } probe end { println(@count(s)) }
name $hits global c probe kernel.function(\"vfs_read\") { c[execname()] <<< 1 } probe end { println(@count(c[\"load\"])) }
long $((hits / 10)) global c probe kernel.function(\"vfs_read\") { for (i = 0; i < 100; i++) c[execname()] <<< 1 } probe end { println(@count(c[\"load\"])) }"
while read -r name _ script; do
    (cd "$work" && "$bin/stap" -r "$release" -p4 -w -m "bench_$name" -e "$script" >/dev/null)
done <<<"$table"
cat >"$work/guest.sh" <<END
set -eu
cd $work
# A busy machine runs this guest slowly; stap-vm waits for it as long as it says something.
mkfifo /tmp/never
while :; do read -r -t 0.2 _ <>/tmp/never; echo .; done &
while read -r name reads _; do
    echo base \$name \$(./load read \$reads 1)
    $bin/staprun -w --on-overload=warn --ledger=/tmp/ledger -o /dev/null -c "sh -c './load read \$reads 1 >/tmp/time'" bench_\$name.ko
    echo probed \$name \$(cat /tmp/time) \$(sed -n '/vfs_read/s/.*"handled": \([0-9]*\).*"time_ns": {"hits": \([0-9]*\).*"overhead_ns": \([0-9]*\).*/\1 \2 \3/p' /tmp/ledger)
done <<'TABLE'
$table
TABLE
kill %1
END
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$(command -v qemu-system-x86_64)" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --timeout 3600 --hang 600 -- bash "$work/guest.sh" >"$work/times"
awk -v check=$check '
    BEGIN { printf "%-6s %12s %12s %10s %12s\n", "", "the loop", "the ledger", "wrong by", "measured" }
    $1 == "base" { base[$2] = $3 }
    $1 == "probed" {
        n++
        added = $3 - base[$2]; said = $6 / $4; wrong = said - added; part = $5 / $4
        printf "%-6s %9.1f ns %9.1f ns %7.1f ns %10.2f %%\n", $2, added, said, wrong, 100 * part
        if (wrong > 40 || wrong < -40 || part > 1 / 100 || $5 == 0) bad = 1
    }
    END {
        if (n != 3) { print "not all ran"; exit 1 }
        exit check && bad
    }' "$work/times"
