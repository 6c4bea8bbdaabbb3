#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Cost of a sample of 60 frames of user code at 997 Hz in one guest boot, whose clock counts instructions, without that of a sample
# that keeps nothing: stacks of loops, and of a system call. bpftrace's beside it, where it is installed.
#   sampled.sh [--check] [RELEASE]     --check: fails if s[stacks()]++ costs more than 14,000 instructions, ubacktrace() more than 15,000
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../../build/bin}
check=0
if [ "${1:-}" = --check ]; then
    check=1
    shift
fi
release=$("$bin/stap-vm" --print-kernel ${1:+-k "$1"} | sed -n 's/^release //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o "$work/spin" "$here/spin.c"

translate() { # NAME SCRIPT
    (cd "$work" && "$bin/stap" -r "$release" -p4 -w -m "$1" -e "$2" >/dev/null)
}
probe='probe timer.profile.freq.hz(997)'
translate nothing "global n; $probe { n++ } probe end { println(n) }"
translate key "global s; $probe { s[ubacktrace()]++ } probe end { foreach (k in s) n += s[k]; println(n) }"
translate both "global s; $probe { s[stacks()]++ } probe end { foreach (k in s) n += s[k]; println(n) }"

cat >"$work/guest.sh" <<END
set -u
cd $work
# A busy machine runs this guest slowly; stap-vm waits for it as long as it says something.
mkfifo /tmp/never
while :; do read -r -t 0.2 _ <>/tmp/never; echo .; done &
sample() { # WHERE SCRIPT
    $bin/staprun -w -o /dev/null -c "sh -c './spin \$1 8 \$(times \$1) >/tmp/time'" \$2.ko
    echo "\$1 \$2 \$(cat /tmp/time)"
}
bpf() { # WHERE NAME SCRIPT
    bpftrace -q -e "profile:hz:997 { \$3 }" -o /dev/null -c "/bin/sh /tmp/spin-\$1" && echo "\$1 \$2 \$(cat /tmp/time)"
}
times() { [ \$1 = user ] && echo 1200 || echo 1500; }
for where in user kernel; do
    ./spin \$where 8 100 >/dev/null
    echo "\$where base \$(./spin \$where 8 \$(times \$where))"
    for script in nothing both key both; do sample \$where \$script; done
    echo "./spin \$where 8 \$(times \$where) >/tmp/time" >/tmp/spin-\$where
    if command -v bpftrace >/dev/null; then
        bpf \$where bpftrace_nothing '@ = count();'
        bpf \$where bpftrace_both '@[kstack, ustack] = count();'
    fi
done
kill %1
END
mkdir "$work/bin"
qemu=$(command -v qemu-system-x86_64)
printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
chmod +x "$work/bin/qemu-system-x86_64"
PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --timeout 7200 --hang 600 --console="$work/console" \
    -- bash "$work/guest.sh" >"$work/times" || { cat "$work/times"; tail -40 "$work/console"; exit 2; }
awk -v check=$check '
    NF == 3 && $2 == "base" { base[$1] = $3; print "work in", $1 " mode:", $3 / 1e6, "million instructions" }
    NF == 3 && $2 != "base" {
        each = ($3 - base[$1]) / ($3 * 997 / 1e9)
        if ($2 ~ /nothing/) empty[$1, $2 ~ /bpf/] = each
        above = each - empty[$1, $2 ~ /bpf/]
        printf "%-8s %-20s %8.0f instructions a sample %8.0f above an empty one\n", $1, $2, each, above
        if (($2 == "both" && above > 14000) || ($2 == "key" && above > 15000)) over = over " " $1 ":" $2
        seen[$2]++
    }
    END {
        if (over) print "over the limit:" over
        exit check && (over || seen["both"] != 4 || seen["key"] != 2)
    }' "$work/times"
