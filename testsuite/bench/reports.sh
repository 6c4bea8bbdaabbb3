#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long a report of a timer keeps its processor from anything else, in a guest of one processor whose clock counts instructions
# (one is 1 ns): the longest time between two ticks of another session's timer, each 0.2 ms, while a report sorts and prints.
#   reports.sh [--check] [RELEASE]
#     --check     fail if it is more than 10 ms
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
limit=
[ "${1:-}" != --check ] || { limit=10; shift; }
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$bin/stap" -p4 -r "$release" -m gaps -e 'global last, most, ticks
    probe begin { println("begin") }
    probe timer.us(200) { now = ktime_get_ns(); if (last && now - last > most) most = now - last; last = now; ticks++ }
    probe end { printf("%d ticks, longest delay %d us\n", ticks, most / 1000 - 200) }' >/dev/null
# Without a limit of time, to see what it would come to.
report() { # its name, its number of elements, how one gets a value, the loop, what follows
    "$bin/stap" -p4 -r "$release" -m "$1" -D MAXACTION=1000000 -D MAXTIME=100000000 -e 'global a['"$2"']
        probe begin { for (i = 0; i < '"$2"'; i++) '"$3"' i * 7919 % 300007 }
        probe timer.us(100000) { i = 0; '"$3"' 1 }
        probe timer.ms(300) {
            '"$4"' if (++lines > 10000) break; printf("%s %d\n", sprint(k), x) }
            '"$5"'
            exit()
        }' >/dev/null
}
numbers='foreach (x = k in a-) {'
samples='foreach (k in a @sum-) { x = @sum(a[k]);'
report walk 300000 'a[i] =' "$numbers" ''
report clear 300000 'a[i] =' "$numbers" 'delete a'
report small 10000 'a[i] =' "$numbers" 'delete a'
report names 300000 'a["element " . sprint(i)] =' "$numbers" ''
report samples 300000 'a[i] <<<' "$samples" ''
report samples_clear 300000 'a[i] <<<' "$samples" 'delete a'
cat >guest.sh <<END
for what in walk clear small names samples samples_clear; do
    "$bin/staprun" "$work/gaps.ko" >gaps &
    pid=\$!
    until [ -s gaps ]; do kill -0 \$pid && sleep 0.1 || exit 1; done
    "$bin/staprun" "$work/\$what.ko" >report
    kill -INT \$pid
    wait \$pid
    echo "\$what: \$(wc -l <report) lines, \$(sed 1d gaps)"
done
END
mkdir bin
qemu=$(command -v qemu-system-x86_64)
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >bin/qemu-system-x86_64
chmod +x bin/qemu-system-x86_64
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --memory 1024 --timeout 7200 --hang 600 -- bash "$work/guest.sh" |
    awk -v limit="$limit" '{ print } $NF == "us" && limit && $(NF - 1) > 1000 * limit { slow = 1 }
        END { exit NR != 6 || slow }'
