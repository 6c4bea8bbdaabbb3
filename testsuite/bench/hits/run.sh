#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Cost added per hit in one guest boot: Tapir scripts next to counters written by hand (counter/), and bpftrace where installed.
# Absolute times are the emulator's; only compare them with each other.
#   run.sh [--check] [--instructions] [--only WORD] [RELEASE]
#     --check          fail if a script costs more than LIMIT times the counter of its mechanism (see the table below)
#     --only WORD      only the scripts whose name begins so
#     --instructions   the emulator's clock counts instructions: one is 1 ns. Steady also on a busy machine.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../../build/bin}
check=0 instructions=0 only=
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=1 ;;
    --instructions) instructions=1 ;;
    --only) only=$2; shift ;;
    *) break ;;
    esac
    shift
done
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
build=$(sed -n "s/^build //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NAME MECHANISM LIMIT SCRIPT. Limit `-`: none; `3/-`: one for times, none for instructions.
table=$(cat <<'END'
empty         entry  -    probe kernel.function("vfs_read") { }
count         entry  1.5  global c; probe kernel.function("vfs_read") { c++ } probe end { println(c) }
stat          entry  -    global s; probe kernel.function("vfs_read") { s <<< 1 } probe end { println(@count(s)) }
arguments     entry  2    global s, n; probe kernel.function("vfs_read") { s <<< $count; n += $file != 0 } probe end { println(@sum(s), n) }
member        entry  -    global s, n; probe kernel.function("vfs_read") { s <<< $count; n += $file->f_mode & 1 } probe end { println(@sum(s), n) }
recall        entry  -    probe kernel.function("vfs_read") { @recall(reads, 100, "%d at %x", $count, $file) }
name_count    entry  -    global c; probe kernel.function("vfs_read") { c[execname()]++ } probe end { println(c["load"]) }
name_stat     entry  3/-   global c; probe kernel.function("vfs_read") { c[execname()] <<< 1 } probe end { println(@count(c["load"])) }
print         entry  -/10 probe kernel.function("vfs_read") { printf("%s %d %d\n", execname(), pid(), tid()) }
row           entry  -/11 @table(t, "name: name", "pid: id", "tid: id", "a", "b") probe kernel.function("vfs_read") { @row(t, execname(), pid(), tid(), 1, 2) }
return_empty  return -    probe kernel.function("vfs_read").return { }
return_stat   return 1.2  global s; probe kernel.function("vfs_read").return { s <<< $return } probe end { println(@sum(s)) }
return_name   return -    global s; probe kernel.function("vfs_read").return { s[execname()] <<< $return } probe end { println(@count(s["load"])) }
return_entry  return -    global s; probe kernel.function("vfs_read").return { s <<< $return + $count } probe end { println(@sum(s)) }
trace_empty   trace  2    probe kernel.trace("task_rename") { }
trace_two     trace  2    global s; probe kernel.trace("task_rename") { s <<< $task ^ $comm } probe end { println(@sum(s)) }
trace_stat    trace  2    global s; probe kernel.trace("task_rename") { s <<< 1 } probe end { println(@count(s)) }
trace_name    trace  -    global c; probe kernel.trace("task_rename") { c[execname()] <<< 1 } probe end { println(@count(c["load"])) }
call_count    syscall 2   global c; probe syscall.* { c++ } probe end { println(c) }
call_name     syscall 2   global c; probe syscall.* { c[name] <<< 1 } probe end { println(@count(c["read"])) }
call_one      syscall 2   global s; probe syscall.read { s <<< $count } probe end { println(@count(s)) }
call_other    syscall 2   global c; probe syscall.write { c++ } probe end { println(c) }
call_both     syscall -   global c; probe syscall.*, syscall.*.return { c[name] <<< 1 } probe end { println(@count(c["read"])) }
call_trace    syscall -   global c; probe kernel.trace("sys_enter") { c[execname()] <<< 1 } probe end { println(@count(c["load"])) }
user_empty    user   1.1  probe process("LOAD").function("load_called") { }
user_stat     user   1.1  global s; probe process("LOAD").function("load_called") { s <<< $number } probe end { println(@count(s)) }
user_name     user   -    global c; probe process("LOAD").function("load_called") { c[execname()] <<< 1 } probe end { println(@count(c["load"])) }
mark_stat     mark   1.1  global s; probe process("LOAD").mark("passed") { s <<< $arg1 } probe end { println(@count(s)) }
back_stat     user_return 0.7 global s; probe process("LOAD").function("load_called").return { s <<< $return } probe end { println(@count(s)) }
back_entry    user_return -   global s; probe process("LOAD").function("load_called").return { s <<< $return + @entry($number) } probe end { println(@count(s)) }
END
)

gcc -O2 -g -static -no-pie -o "$work/load" "$here/load.c"
# The offset in the file of a symbol of load.
offset() {
    local address segment virtual
    address=0x$(nm "$work/load" | sed -n "s/ [tT] $1\$//p")
    read -r _ segment virtual _ < <(readelf -lW "$work/load" | grep 'LOAD.* R E')
    printf '%d' $((address - virtual + segment))
}
cp -r "$here/counter" "$work/counter"
: >"$work/measure.sh"
while read -r name how limit script; do
    [[ $name == $only* ]] || continue
    [ $instructions = 1 ] && limit=${limit#*/}
    limit=${limit%/*}
    script=${script//LOAD/$work/load}
    (cd "$work" && "$bin/stap" -r "$release" -p4 -w -m "bench_$name" -e "$script" >/dev/null)
    load=read
    case $how in
    trace) load=rename ;;
    user*) load=call ;;
    mark) load=mark ;;
    esac
    echo "measure $name $how $limit $load" >>"$work/measure.sh"
done <<<"$table"

# stap learns about the kernel's headers when it prepares the kernel.
"$bin/stap" -r "$release" --prepare >/dev/null
cache=${TAPIR_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tapir}
features=
for one in "$cache/templates/$release@"*/tapir_kernel_features.h; do
    [[ -n $features && $features -nt $one ]] || features=$one
done
cp "$features" "$work/counter/features.h"
"$here/../../vm/make-module.sh" "$build" "$work/counter" >/dev/null

cat >"$work/guest.sh" <<END
set -u
cd $work
# A busy machine runs this guest slowly; stap-vm waits for it as long as it says something.
mkfifo /tmp/never
while :; do read -r -t 0.2 _ <>/tmp/never; echo .; done &
counter() { # HOW LOAD [PARAMETER]...
    module=counter
    [[ \$1 != direct* ]] || module=direct
    insmod counter/\$module.ko how=\${1/mark/user} "\${@:3}" 2>/dev/null || { echo "counter \$1 none"; return; }
    echo "counter \$1 \$(./load \$2)"
    rmmod \$module
}
measure() { # NAME HOW LIMIT LOAD
    # The loader aligns rows, on the processor that makes them: there has to be room for all of them.
    room=
    [ \$1 != row ] || room='-s 64'
    $bin/staprun -w \$room -o /dev/null -c "sh -c './load \$4 >/tmp/time'" bench_\$1.ko && echo "script \$2 \$(cat /tmp/time) \$1 \$3"
}
base() { for how in read rename call mark; do echo "base \$how \$(./load \$how)"; done; }
base
counter entry read
counter return read
counter exit read
counter direct read
counter direct_exit read
counter direct_both read
counter trace rename
counter syscall read
counter user call path=$work/load offset=$(offset load_called)
counter user_return call path=$work/load offset=$(offset load_called)
counter mark mark path=$work/load offset=$(offset load_mark)
. ./measure.sh
if command -v bpftrace >/dev/null; then
    bpftrace -q -e 'kprobe:vfs_read { @c = count(); }' -c "./load read" 2>/dev/null | sed -n 's/^[0-9.][0-9.]*$/script entry & bpftrace_count -/p'
    printf './load read >/tmp/time\\n' >$work/quiet
    bpftrace -q -e 'kprobe:vfs_read { printf("%s %d %d\\n", comm, pid, tid); }' -o /dev/null -c "/bin/sh $work/quiet" && echo "script entry \$(cat /tmp/time) bpftrace_print -"
    bpftrace -q -e 'kprobe:vfs_read { @c[comm] = count(); }' -c "./load read" 2>/dev/null | sed -n 's/^[0-9.][0-9.]*$/script entry & bpftrace_name -/p'
    bpftrace -q -e 'kretfunc:vfs_read { @s[comm] = stats(retval); }' -c "./load read" 2>/dev/null | sed -n 's/^[0-9.][0-9.]*$/script return & bpftrace_fexit -/p'
fi
base
kill %1
END
cpus=2 path=$PATH
if [ $instructions = 1 ]; then
    cpus=1
    mkdir "$work/bin"
    qemu=$(command -v qemu-system-x86_64)
    printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
    chmod +x "$work/bin/qemu-system-x86_64"
    path=$work/bin:$PATH
fi
PATH=$path "$bin/stap-vm" -k "$release" --accel tcg --cpus $cpus --timeout 7200 --hang 600 -- bash "$work/guest.sh" >"$work/times"

awk -v check=$check '
    $1 == "base" && (!($2 in base) || $3 < base[$2]) { base[$2] = $3 }
    $1 == "counter" { counter[$2] = $3 }
    $1 == "script" { how[++n] = $2; time[n] = $3; name[n] = $4; limit[n] = $5 }
    function row(name, time, base, unit, limit) {
        printf "%-22s %10.1f %10.1f %8.2f %6s\n", name, time, time - base, (time - base) / unit, limit
    }
    END {
        load["entry"] = load["direct"] = load["direct_exit"] = load["direct_both"] = load["return"] = load["exit"] = load["syscall"] = "read"; load["trace"] = "rename"
        load["user"] = load["user_return"] = "call"; load["mark"] = "mark"
        printf "%-22s %10s %10s %8s %6s\n", "", "ns/hit", "added", "ratio", "limit"
        order = split("entry direct return direct_exit direct_both exit trace syscall user mark user_return", mechanisms, " ")
        for (m = 1; m <= order; m++) {
            h = mechanisms[m]; b = base[load[h]]
            if (counter[h] == "none" || !(h in counter)) {
                if (h !~ /exit|direct/) { print "the counter of " h " did not run"; bad = 1 }
                continue
            }
            unit = counter[h == "direct" ? "entry" : h ~ /^direct_/ ? "return" : h] - b
            row("counter: " h, counter[h], b, unit, "")
            # A return is compared with the cheaper of the ways the kernel has.
            if (h == "exit" && counter["exit"] < counter["return"]) counter["return"] = counter["exit"]
        }
        for (i = 1; i <= n; i++) {
            b = base[load[how[i]]]; unit = counter[how[i]] - b
            row(name[i], time[i], b, unit, limit[i])
            if (limit[i] != "-" && time[i] - b > limit[i] * unit) { over = over " " name[i]; bad = 1 }
        }
        if (over) print "over the limit:" over
        exit check && bad
    }' "$work/times"
