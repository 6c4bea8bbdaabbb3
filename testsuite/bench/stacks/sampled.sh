#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Cost of a sample of 60 frames of user code at 997 Hz in one guest boot, whose clock counts instructions: stacks of loops, and of a
# system call. First by what the program takes longer than with a sample that keeps nothing, where bpftrace is beside it, if it is
# installed; then by what the statement itself takes, read from the clock before and behind it, which has no noise of the load.
#   sampled.sh [--check] [RELEASE]     --check: fails if s[stacks()]++ or s[ubacktrace()]++ costs more than 6,000 instructions, in the kernel 9,000
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
# exactly NAME DECLARATIONS STATEMENT: the mean of the statement's instructions, of samples in the kernel and outside of it.
exactly() {
    translate "$1" "global u, k; $2 $probe { if (execname() == \"spin\") { t = get_cycles(); $3; c = get_cycles() - t; if (user_mode()) u <<< c; else k <<< c } }
        probe end { if (@count(u) > 50) printf(\"user %d %d\n\", @avg(u), @count(u)); if (@count(k) > 50) printf(\"kernel %d %d\n\", @avg(k), @count(k)) }"
}
exactly exact_nothing 'global n;' 'n++'
exactly exact_both 'global s;' 's[stacks()]++'
exactly exact_user 'global s;' 's[ubacktrace()]++'
exactly exact_kernel 'global s;' 's[backtrace()]++'
exactly exact_sample '@profile("time", "samples")' '@sample(stacks(), 1)'
exactly exact_interp '@profile("time", "samples")' '@sample_interp(stacks(), 1)'

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
exact() { # WHERE SCRIPT [OPTION...]
    local where=\$1 script=\$2
    shift 2
    $bin/staprun "\$@" -o /tmp/exact -c "./spin \$where 8 \$(times \$where)" exact_\$script.ko >/tmp/out
    sed -n "s/^\$where \(.*\)/\$where exact \$script\${1:-} \1/p" /tmp/exact
}
bpf() { # WHERE NAME SCRIPT
    bpftrace -q -e "profile:hz:997 { \$3 }" -o /dev/null -c "/bin/sh /tmp/spin-\$1" && echo "\$1 \$2 \$(cat /tmp/time)"
}
times() { [ \$1 = user ] && echo 1200 || echo 1500; }
for where in user kernel; do
    ./spin \$where 8 100 >/dev/null
    echo "\$where base \$(./spin \$where 8 \$(times \$where))"
    for script in nothing both key both; do sample \$where \$script; done
    for script in nothing both user kernel sample interp both; do exact \$where \$script; done
    exact \$where sample --times --record /tmp/run.tapir
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
        if (($2 == "both" || $2 == "key") && above > ($1 == "user" ? 6000 : 9000)) over = over " " $1 ":" $2
        seen[$2]++
    }
    NF == 5 && $2 == "exact" {
        if ($3 == "nothing") least[$1] = $4
        above = $4 - least[$1]
        printf "%-8s %-20s %8.0f instructions above an empty statement, mean of %d\n", $1, "exactly " $3, above, $5
        if (($3 == "both" || $3 == "user") && above > ($1 == "user" ? 6000 : 9000)) over = over " " $1 ":" $2 ":" $3
        seen["exact " $3]++
    }
    END {
        if (over) print "over the limit:" over
        exit check && (over || seen["both"] != 4 || seen["key"] != 2 || seen["exact both"] != 4 || seen["exact user"] != 2)
    }' "$work/times"
