#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long a timer's handler keeps its processor, with interrupts off, when it does as much as it may: in one guest boot whose clock
# counts instructions (one is 1 ns). A line for each: name, microseconds of the longest run, the error that ended it.
#   handler_time.sh [--check] [RELEASE]
#     --check     fail if one takes more than MOST (default 11000) us: MAXTIME, and what passes between two looks at the clock
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
most=
[ "${1:-}" != --check ] || { most=${MOST:-11000}; shift; }
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row NAME GLOBALS BEGIN HANDLER [OPTION...]
rows=
row() {
    local name=$1 script="global $2 probe begin { $3 } probe timer.ms(100) { $4; if (++rounds == 3) exit() }"
    shift 4
    (cd "$work" && "$bin/stap" -p4 -r "$release" "$@" -m "time_$name" -e "$script" >/dev/null)
    rows+=" $name"
}
fill='for (i = 0; i < COUNT; i++) a[i] = i * 7919 % 300007'
texts='part = "a"; for (i = 0; i < 10; i++) part .= part; text = part; for (i = 0; i < 6; i++) text .= text; part .= "b"'
many='-D MAXACTION=200000'
row turns 'rounds, n' '' 'for (i = 0; i < 400; i++) n += i'
row statements 'rounds, n' '' 'for (i = 0; i < 4900; i++) n += i'
row lines 'rounds, n' '' 'for (i = 0; i < 4900; i++) printf("%d %s\n", i, "text")'
row strings512 'rounds, text, part, n' 'part = "a"; for (i = 0; i < 7; i++) part .= part; text = part . part . part; part .= "b"' \
    'for (i = 0; i < 4900; i++) n += isinstr(text, part)'
row strings64k 'rounds, text, part, n' "$texts" 'for (i = 0; i < 4000; i++) n += isinstr(text, part)' -D MAXSTRINGLEN=65536
row sort64k 'rounds, a' "${fill/COUNT/65536}" 'foreach (k in a-) break' -D MAXACTION=20000
row first64k 'rounds, a' "${fill/COUNT/65536}" 'foreach (k in a- limit 10) println(k)' -D MAXACTION=20000
row delete64k 'rounds, a' "${fill/COUNT/65536}" 'delete a' -D MAXACTION=20000
row report64k 'rounds, a' "${fill/COUNT/65536}" 'foreach (k in a- limit 100) println(k, a[k]); delete a' -D MAXACTION=20000
row sort300k 'rounds, a[300000]' "${fill/COUNT/300000}" 'for (i = 0; i < 110; i++) { foreach (k in a-) break; foreach (k in a+) break }' $many
row delete300k 'rounds, a[300000]' "${fill/COUNT/300000}" 'delete a' $many
row slice300k 'rounds, a[300000]' 'for (i = 0; i < 300000; i++) a[i, 1] = i' 'for (i = 0; i < 110; i++) n += [*, 2] in a' $many

cat >"$work/guest.sh" <<END
mkdir /tmp/time && cd /tmp/time
for row in $rows; do
    "$bin/staprun" -t --ledger=ledger "$work/time_\$row.ko" >out 2>err
    longest=\$(perl -0ne 'while (/"timer.*?"time_ns".*?"max": (\d+)/gs) { print int(\$1 / 1000) }' ledger)
    echo "\$row \$longest \$(sed -n 's/^ERROR: \(MAX[A-Z]* exceeded\) .*/\1/p' err)"
done
! dmesg | grep 'BUG:\|WARNING:\|soft lockup\|detected stalls'
END
mkdir "$work/bin"
qemu=$(command -v qemu-system-x86_64)
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --memory 2048 --timeout 7200 -- bash "$work/guest.sh" |
    awk -v most="$most" '{ print } NF >= 2 && $2 > longest { longest = $2 }
        END { print "longest: " longest " us"; exit !NR || (most && longest > most) }'
