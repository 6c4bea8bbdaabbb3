#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Cost added per hit on vfs_read, in one guest boot: a hand-written ftrace_ops counter, Tapir scripts, and bpftrace where installed.
# Absolute times are the emulator's; only compare them with each other.
#   run.sh [--check] [RELEASE]     --check: fail if `c++` adds over 1.5 times what the counter adds, or `c[execname()] <<< 1` over 3 times
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../../build/bin}
check=0
[ "${1:-}" = --check ] && check=1 && shift
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
build=$(sed -n "s/^build //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A scripts=(
    [empty]='probe kernel.function("vfs_read") { }'
    [count]='global c; probe kernel.function("vfs_read") { c++ } probe end { println(c) }'
    [stat]='global s; probe kernel.function("vfs_read") { s <<< 1 } probe end { println(@count(s)) }'
    [name_count]='global c; probe kernel.function("vfs_read") { c[execname()]++ } probe end { println(c["reader"]) }'
    [name_stat]='global c; probe kernel.function("vfs_read") { c[execname()] <<< 1 } probe end { println(@count(c["reader"])) }'
    [print]='probe kernel.function("vfs_read") { printf("%s %d %d\n", execname(), pid(), tid()) }'
)
order="empty count stat name_count name_stat print"

gcc -O2 -static -o "$work/reader" "$here/reader.c"
cp -r "$here/counter" "$work/counter"
make -s -C "$build" M="$work/counter" CONFIG_DEBUG_INFO_BTF_MODULES= modules >/dev/null
for name in $order; do
    (cd "$work" && "$bin/stap" -r "$release" -p4 -w -m "bench_$name" -e "${scripts[$name]}" >/dev/null)
done

cat >"$work/measure.sh" <<EOF
set -u
cd $work
echo "baseline \$(./reader)"
insmod counter/counter.ko && echo "counter \$(./reader)"; rmmod counter
for name in $order; do
    $bin/staprun -w -o /dev/null -c "sh -c './reader >/tmp/time'" bench_\$name.ko && echo "\$name \$(cat /tmp/time)"
done
if command -v bpftrace >/dev/null; then
    bpftrace -q -e 'kprobe:vfs_read { @c = count(); }' -c ./reader 2>/dev/null | grep -E '^[0-9.]+$' | sed 's/^/bpftrace_count /'
    bpftrace -q -e 'kprobe:vfs_read { @c[comm] = count(); }' -c ./reader 2>/dev/null | grep -E '^[0-9.]+$' | sed 's/^/bpftrace_name_count /'
fi
echo "baseline \$(./reader)"
EOF
"$bin/stap-vm" -k "$release" --cpus 2 --timeout 300 -- bash "$work/measure.sh" | tee "$work/times"

awk -v check=$check '
    $1 == "baseline" && (!base || $2 < base) { base = $2 }
    $1 != "baseline" { time[$1] = $2; names[++n] = $1 }
    END {
        if (!("counter" in time)) { print "the hand-written counter did not run"; exit 1 }
        unit = time["counter"] - base
        printf "\n%-22s %10s %10s %8s\n", "", "ns/read", "added", "ratio"
        printf "%-22s %10.1f\n", "no probe", base
        for (i = 1; i <= n; i++)
            printf "%-22s %10.1f %10.1f %8.2f\n", names[i], time[names[i]], time[names[i]] - base, (time[names[i]] - base) / unit
        if (!check) exit 0
        if (!("count" in time) || (time["count"] - base) > 1.5 * unit) { print "c++ costs over 1.5 times the counter"; bad = 1 }
        if (!("name_stat" in time) || (time["name_stat"] - base) > 3 * unit) { print "c[execname()] <<< 1 costs over 3 times the counter"; bad = 1 }
        exit bad
    }' "$work/times"
