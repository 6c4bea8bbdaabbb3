#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long timers' handlers keep their processor, with interrupts off, when they do as much as they may: in one guest boot whose clock
# counts instructions (one is 1 ns). A line for each: name, microseconds of the longest run.
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

# Each handler has a period of its own, by which the ledger tells them apart: NAME PERIOD.
rows='turns 101  statements 102  lines 103  strings512 104  sort64k 105  first64k 106  delete64k 107  report64k 108  names64k 109
sort300k 110  delete300k 111  slices300k 112  strings64k 113'
cat >"$work/long.stp" <<'END'
global n, text, part, a, b, c, names, big[300000], gone[300000], pairs[300000]
probe begin {
    part = "a"
    for (i = 0; i < 7; i++) part .= part
    text = part . part . part
    part .= "b"
    for (i = 0; i < 65536; i++) {
        a[i] = b[i] = c[i] = i * 7919 % 65537
        names[sprintf("/usr/lib/%d", i * 7919 % 65537)] = i
    }
    for (i = 0; i < 300000; i++) big[i] = gone[i] = pairs[i, 1] = i * 7919 % 300007
}
probe timer.ms(101) { for (i = 0; i < 400; i++) n += i }
probe timer.ms(102) { for (i = 0; i < 4900; i++) n += i }
probe timer.ms(103) { for (i = 0; i < 4900; i++) printf("%d %s\n", i, "text") }
probe timer.ms(104) { for (i = 0; i < 4900; i++) n += isinstr(text, part) }
probe timer.ms(105) { foreach (k in a-) break; foreach (k in a+) break }
probe timer.ms(106) { foreach (k in a- limit 10) println(k) }
probe timer.ms(107) { delete b }
probe timer.ms(108) { foreach (k in c- limit 100) println(k); delete c }
probe timer.ms(109) { foreach (k+ in names) break; foreach (k- in names) break }
probe timer.ms(110) { for (i = 0; i < 110; i++) { foreach (k in big-) break; foreach (k in big+) break } }
probe timer.ms(111) { delete gone }
probe timer.ms(112) { for (i = 0; i < 110; i++) n += [*, 2] in pairs }
probe timer.ms(600) { exit() }
END
cat >"$work/strings.stp" <<'END'
global n, text, part
probe begin {
    part = "a"
    for (i = 0; i < 10; i++) part .= part
    text = part
    for (i = 0; i < 6; i++) text .= text
    part .= "b"
}
probe timer.ms(113) { for (i = 0; i < 4000; i++) n += isinstr(text, part) }
probe timer.ms(600) { exit() }
END
limits='-D MAXERRORS=1000 -D MAXACTION=400000'
(cd "$work" && "$bin/stap" -p4 -r "$release" $limits -m time_long long.stp >/dev/null)
(cd "$work" && "$bin/stap" -p4 -r "$release" $limits -D MAXSTRINGLEN=65536 -m time_strings strings.stp >/dev/null)

cat >"$work/guest.sh" <<END
mkdir /tmp/time && cd /tmp/time
for module in long strings; do
    "$bin/staprun" -t --ledger=ledger "$work/time_\$module.ko" >out 2>err
    perl -0ne 'while (/"timer.ms\((\d+)\)".*?"time_ns".*?"max": (\d+)/gs) { print "\$1 \$2\n" }' ledger >>times
    grep -h '^ERROR: MAX' err | sort | uniq -c >&2
done
set -- $rows
while [ \$# != 0 ]; do
    sed -n "s/^\$2 \(.*\)/\$1 \1/p" times
    shift 2
done
! dmesg | grep 'BUG:\|WARNING:\|soft lockup\|detected stalls'
END
mkdir "$work/bin"
qemu=$(command -v qemu-system-x86_64)
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --memory 2048 --timeout 7200 -- bash "$work/guest.sh" |
    awk -v most="$most" 'NF == 2 && $2 ~ /^[0-9]+$/ { $2 = int($2 / 1000); if ($2 > longest) longest = $2 } { print }
        END { print "longest: " longest " us"; exit !longest || (most && longest > most) }'
