#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what a loop of reads loses to probes under a budget, by its own clock, in a guest whose clock counts instructions (one is 1 ns). The
# loop makes 12 chunks of 0.1 s with a read in 100 us, then 12 with ten times as many reads.
#   budget.sh [--check] [--runs N] [RELEASE]
#     --runs N   that often each (default 3); the strides are others each time
#     --check    fail if, from the third chunk of either half on, the loop loses more than the budget and 1 % on average or 2 % in one
#                chunk; if a chunk loses more than twice the budget and the way of its hits (3 %); if the ledger has not all reads; if
#                the sum of a scaled count is off by more than three standard deviations; if a return lacks its entry
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
check=0 runs=3
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=1 ;;
    --runs) runs=$2; shift ;;
    *) break ;;
    esac
    shift
done
release=$("$bin/stap-vm" --print-kernel ${1:+-k "$1"} | sed -n 's/^release //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -static -o "$work/paced" "$here/paced.c"
phases="12 1000 49600 12 10000 4600"
reads=132000
make() { (cd "$work" && "$bin/stap" -r "$release" -p4 -w -m "$1" -e "$2" >/dev/null); }
make long 'global c, n probe kernel.function("vfs_read") { n <<< 1; for (i = 0; i < 100; i++) c[execname()] <<< 1 } probe end { println(@count(n), " ", @count(c["paced"])) }'
make back 'global s probe kernel.function("vfs_read").return { if ($return == 1) { for (i = 0; i < 100; i++) s <<< $return + @entry($count) } } probe end { println(@min(s), " ", @max(s)) }'
cat >"$work/guest.sh" <<END
set -eu
cd $work
# A busy machine runs this guest slowly; stap-vm waits for it as long as it says something.
mkfifo /tmp/never
while :; do read -r -t 0.2 _ <>/tmp/never; echo .; done &
ledger() { sed -n '/vfs_read/s/.*"hits": \([0-9]*\), "handled": \([0-9]*\).*/\1 \2/p' /tmp/ledger; }
./paced $phases | sed 's/^/base /'
for run in \$(seq $runs); do
    for module in long back; do
        $bin/staprun --budget=5% --ledger=/tmp/ledger -o /tmp/out -c "sh -c './paced $phases >/tmp/times'" \$module.ko 2>/tmp/err || echo "failed \$module \$(cat /tmp/err)"
        sed "s/^/\$module \$run /" /tmp/times
        echo "ledger \$module \$run \$(ledger) \$(cat /tmp/out)"
    done
done
kill %1
END
mkdir "$work/bin"
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$(command -v qemu-system-x86_64)" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --timeout 3600 --hang 600 -- bash "$work/guest.sh" >"$work/times"
cp "$work/times" "${BUDGET_TIMES:-/dev/null}"
awk -v check=$check -v runs="$runs" -v reads=$reads '
    function is_bad(what) { print "BAD: " what; bad = 1 }
    $1 == "failed" { is_bad($0) }
    $1 == "base" { base[n++] = $2 }
    $1 == "long" || $1 == "back" {
        at = chunk[$1, $2]++
        lost = ($3 - base[at]) / $3
        key = $1 " " $2 " " (at < 12 ? "slow" : "fast")
        if (lost > most[key]) most[key] = lost
        if (lost > 0.13) is_bad($1 " run " $2 " chunk " at " loses " 100 * lost " %")
        if (at % 12 < 2) next
        sum[key] += lost; count[key]++
        if (lost > 0.07) is_bad($1 " run " $2 " chunk " at " loses " 100 * lost " %")
    }
    $1 == "ledger" {
        ledgers++
        if ($4 < reads || $4 > reads + 1000) is_bad($2 " run " $3 ": the ledger has " $4 " hits of " reads)
        if ($5 > $4 / 2) is_bad($2 " run " $3 ": hardly a hit was left out")
        printf "%s run %s: %d of %d hits handled\n", $2, $3, $5, $4
        if ($2 == "long") {
            scaled = $7 / 100 * $4 / $5; off = (scaled - reads) / reads
            printf "long run %s: %d reads by the scaled count, off by %.2f %%\n", $3, scaled, 100 * off
            # Hits of others among those handled: a part p of n. Three deviations of it.
            p = 1 - reads / $4; limit = 3 * sqrt((p + 1e-4) / $5) + 1e-3
            if (off > limit || off < -limit) is_bad("the count is off by more than " 100 * limit " %")
        } else if ($6 != 2 || $7 != 2) is_bad("returns without their entries: " $6 " " $7)
    }
    END {
        for (key in sum) {
            mean = sum[key] / count[key]
            printf "%s: loses %.2f %% on average, at most %.2f %%\n", key, 100 * mean, 100 * most[key]
            if (mean > 0.06) is_bad(key " is over the budget")
            keys++
        }
        if (n != 24 || keys != 4 * runs || ledgers != 2 * runs) is_bad("not all ran")
        exit check && bad
    }' "$work/times"
