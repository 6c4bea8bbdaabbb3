#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long probes stay on after a signal or the loader's death, in one guest boot whose clock counts instructions (one is 1 ns):
# sessions that arm some tens of thousands of places are ended at random moments. Prints a line for each, and the longest.
#   interrupted.sh [--check] [RELEASE]
#     --check     fail if functions are traced for more than a second, or a session takes more than LIMIT milliseconds (default 1000) to go
# ROUNDS (default 33) is how often each of SIGTERM, three of them, and SIGKILL comes, SPAN (default 4000) how many milliseconds of
# the guest's after the begin probe at most. Arming all takes a minute or two of these, and some minutes of the emulator.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
limit=
[ "${1:-}" != --check ] || { limit=${LIMIT:-1000}; shift; }
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

point='kernel.statement("*@fs/*.c:*")'
"$bin/stap" -l "$point" -r "$release" >/dev/null 2>&1 || point='kernel.function("*").return'
script='global n probe begin { println("begin") } probe '$point' { n <<< 1 } probe end { println("end") }'
(cd "$work" && "$bin/stap" -p4 -r "$release" -m many -e "$script" >/dev/null)
cat >"$work/guest.sh" <<END
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
for round in \$(seq ${ROUNDS:-33}); do
    for signals in TERM KILL TERM,TERM,TERM; do
        perl "$here/../vm/staprun/_interrupt.pl" "$bin/staprun" "$work/many.ko" \$signals \$((RANDOM * ${SPAN:-4000} / 32768)) || exit 1
    done
done
! dmesg | grep 'blocked for more than\|BUG:\|WARNING:\|soft lockup\|detected stalls'
END
mkdir "$work/bin"
qemu=$(command -v qemu-system-x86_64)
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --memory 2048 --timeout 20000 --hang 1200 -- bash "$work/guest.sh" |
    awk -v limit="$limit" '{ print; fflush() }
        $NF == "ms" && $(NF - 1) > most { most = $(NF - 1) }
        $NF == "ms" && $(NF - 5) > off { off = $(NF - 5) }
        END { print "longest: off after " off " ms, gone after " most " ms"; exit !NR || (limit && (most > limit || off > 1000)) }'
