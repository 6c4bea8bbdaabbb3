#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what a loop of reads loses to probes under a budget of 5 %, by its own clock, in a guest whose clock counts instructions (one
# is 1 ns). The loop makes 12 chunks of 0.1 s with a read in 100 us, then 12 with ten times as many reads. For a pair of probes, whose
# ways are an entry's and a return's, and for two sessions, each with its way, they are half as many. These share a budget by a file.
#   budget.sh [--check] [--runs N] [--only "SCRIPT..."] [RELEASE]
#     --runs N   that often each (default 3); the draws are others each time
#     --only     these of the scripts long, back, pair and shared
#     --check    fail if, from the third chunk of either half on, the loop loses more than the budget and 1 % on average or 2 % in one
#                chunk; if a chunk loses more than twice the budget and the way of its hits (3 %); if the ledger has not all reads; if
#                more corrected counts of halves are off by more than three standard deviations, or all of them by more, than in one of
#                a thousand runs with fair draws; if a half of a pair lacks the other
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
check=0 runs=3 scripts="long back pair shared"
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=1 ;;
    --runs) runs=$2; shift ;;
    --only) scripts=$2; shift ;;
    *) break ;;
    esac
    shift
done
release=$("$bin/stap-vm" --print-kernel ${1:+-k "$1"} | sed -n 's/^release //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -static -o "$work/paced" "$here/paced.c"
phases="12 1000 49600 12 10000 4600" half="12 500 99600 12 5000 9600"
reads=132000
make() { (cd "$work" && "$bin/stap" -r "$release" -p4 -w --budget=5% -m "$1" -e "$2" >/dev/null); }
# A count of the reads of each chunk, and how many were handled: a number that the probe looks at is not corrected.
make long 'global c, n, handled probe kernel.function("vfs_read") {
    for (i = 0; i < 100; i++) c[execname()] <<< 1
    if (execname() == "paced") { chunk = $buf & 15; n[$count, chunk]++; if (handled[$count, chunk] >= 0) handled[$count, chunk]++ }
} probe end {
    for (size = 1; size < 3; size++) for (chunk = 0; chunk < 12; chunk++) print(n[size, chunk], " ", handled[size, chunk], " ")
    println("")
}'
make back 'global s probe kernel.function("vfs_read").return {
    if ($return == 1 || $return == 2) for (i = 0; i < 100; i++) s <<< $return - @entry($count)
} probe end { println(@min(s), " ", @max(s)) }'
make pair 'global t, burnt, entered, left, orphans, wrong
probe kernel.function("vfs_read") {
    if (execname() != "paced") next
    t[tid()] = $count
    entered <<< 1
    for (i = 0; i < 50; i++) burnt <<< 1
}
probe kernel.function("vfs_read").return {
    if (execname() != "paced") next
    if (tid() in t) { left <<< 1; if (t[tid()] != $return) wrong++ } else orphans++
    delete t[tid()]
    for (i = 0; i < 50; i++) burnt <<< 1
}
probe end { n = 0; foreach (id in t) n++; println(orphans, " ", wrong, " ", n, " ", @count(entered), " ", @count(left)) }'
# Two modules at one function would share a way of the kernel's that is longer by 200 instructions.
two() { make $1 'global c probe kernel.function("'$2'") { for (i = 0; i < 100; i++) c[execname()] <<< 1 } probe end { println(@count(c["paced"])) }'; }
two shared vfs_read
two other read_zero
cat >"$work/guest.sh" <<END
set -eu
cd $work
# A busy machine runs this guest slowly; stap-vm waits for it as long as it says something.
mkfifo /tmp/never
while :; do read -r -t 0.2 _ <>/tmp/never; echo .; done &
ledger() { sed -n '/vfs_read/s/.*"hits": \([0-9]*\), "handled": \([0-9]*\).*"refused": \([0-9]*\).*/\1 \2 \3/p' /tmp/ledger | head -1; }
./paced $phases | sed 's/^/base whole /'
./paced $half | sed 's/^/base half /'
for run in \$(seq $runs); do
    for module in $scripts; do
        phases="$phases"
        more=
        if [ \$module = shared ]; then
            more=--budget-file=/run/budget
            rm -f /run/budget
            $bin/staprun --budget=5% \$more -o /tmp/other other.ko 2>/tmp/other.err & other=\$!
            until od -An -v -tx8 -j64 /run/budget 2>/dev/null | grep -q '[1-9a-f]'; do ./paced 2 100 100000 >/dev/null; done
        fi
        case \$module in pair | shared) phases="$half" ;; esac
        $bin/staprun --budget=5% \$more --ledger=/tmp/ledger -o /tmp/out -c "sh -c './paced \$phases >/tmp/times'" \$module.ko 2>/tmp/err || echo "failed \$module \$(cat /tmp/err)"
        [ -z "\$more" ] || { kill -INT \$other; wait \$other; } || echo "failed other \$(cat /tmp/other.err)"
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
awk -v check=$check -v runs="$((runs * $(wc -w <<<"$scripts")))" -v reads=$reads '
    function halved(script) { return script == "pair" || script == "shared" }
    function is_bad(what) { print "BAD: " what; bad = 1 }
    # Each read adds its weight with the probability of one in that, which is about the same in a chunk. No other one stands for
    # those that were refused.
    function half(name, made, first, refused,   i, counted, handled, variance, deviation, off) {
        for (i = first; i < first + 24; i += 2) {
            counted += $i
            handled += $(i + 1)
            if ($(i + 1)) variance += made / 12 * (made / 12 / $(i + 1) - 1)
        }
        deviation = sqrt(variance)
        off = counted > made ? counted - made : counted < made - refused ? counted - made + refused : 0
        printf "  %s: %d reads counted of %d, %d handled, off by %.2f standard deviations\n", name, counted, made, handled, deviation ? off / deviation : off
        if (!deviation) { if (off) is_bad("the count of the " name " half"); return }
        halves++
        squares += off / deviation * off / deviation
        if (off > 3 * deviation || off < -3 * deviation) beyond++
    }
    # The number of n normal draws that may be beyond three deviations: more are with a probability of 0.0005 at most.
    function most_beyond(n,   one, k, exactly, more) {
        one = 0.0027
        exactly = (1 - one) ^ n
        for (more = 1 - exactly; more > 0.0005; k++) {
            exactly *= (n - k) / (k + 1) * one / (1 - one)
            more -= exactly
        }
        return k + 0
    }
    # The root mean square of n normal draws that is exceeded with a probability of 0.0005, by Wilson and Hilferty.
    function most_square(n) { return (1 - 2 / (9 * n) + 3.29 * sqrt(2 / (9 * n))) ^ 1.5 }
    $1 == "failed" { is_bad($0) }
    $1 == "base" { base[$2, length_of[$2]++] = $3; n++ }
    $1 == "long" || $1 == "back" || $1 == "pair" || $1 == "shared" {
        at = chunk[$1, $2]++
        lost = ($3 - base[halved($1) ? "half" : "whole", at]) / $3
        key = $1 " " $2 " " (at < 12 ? "slow" : "fast")
        if (lost > most[key]) most[key] = lost
        if (lost > 0.13) is_bad($1 " run " $2 " chunk " at " loses " 100 * lost " %")
        if (at % 12 < 2) next
        sum[key] += lost; count[key]++
        if (lost > 0.07) is_bad($1 " run " $2 " chunk " at " loses " 100 * lost " %")
    }
    $1 == "ledger" {
        ledgers++
        if ($2 == "shared") {
            # Both have had their part.
            if ($5 < 500) is_bad("hardly a hit was handled")
        }
        made = halved($2) ? reads / 2 : reads
        if ($4 < made || $4 > made + 1000) is_bad($2 " run " $3 ": the ledger has " $4 " hits of " made)
        if ($5 > $4 / 2) is_bad($2 " run " $3 ": hardly a hit was left out")
        printf "%s run %s: %d of %d hits handled, %d refused\n", $2, $3, $5, $4, $6
        if ($2 == "long") {
            half("slow", reads / 11, 7, $6)
            half("fast", reads / 11 * 10, 31, $6)
        } else if ($2 == "back" && ($7 != 0 || $8 != 0)) is_bad("returns without their entries: " $7 " " $8)
        else if ($2 == "pair" && ($7 != 0 || $8 != 0 || $9 != 0 || $10 != $11)) is_bad("pairs: " $0)
    }
    END {
        for (key in sum) {
            mean = sum[key] / count[key]
            printf "%s: loses %.2f %% on average, at most %.2f %%\n", key, 100 * mean, 100 * most[key]
            if (mean > 0.06) is_bad(key " is over the budget")
            keys++
        }
        if (halves) {
            root = sqrt(squares / halves)
            printf "counts are off by %.2f standard deviations (at most %.2f), root mean square of %d; %d of them by more than 3 (at most %d)\n", root, most_square(halves), halves, beyond, most_beyond(halves)
            if (root > most_square(halves) || beyond > most_beyond(halves)) is_bad("the counts")
        }
        if (n != 48 || keys != 2 * runs || ledgers != runs) is_bad("not all ran")
        exit check && bad
    }' "$work/times"
