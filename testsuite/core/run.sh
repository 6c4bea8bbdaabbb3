#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts on core files, from the outside: what they print, what is refused, what is said of cores that are not whole.
#
# Usage: run.sh BIN
BIN=$1
. "$(dirname "$0")/lib.sh"

build program -O0
start program 1000 3
live=$pid
gcore_of "$live"
of_gdb=$core
crash program 1000 3 crash
of_kernel=$core
[ -n "$of_kernel" ] || echo "The kernel sends cores elsewhere: only GDB's are tested."

# ---- the same output of all cores

walked=$(cat "$here/walk.expect")
for core in $of_gdb $of_kernel; do
    run_stap --core "$core" "$here/walk.stp"
    expect "walk.stp on $core" "$walked" "$out"
    expect "what walk.stp says of $core" "" "$err"
    expect "status of walk.stp on $core" 0 "$status"
done

# ---- threads, in the order of the core, with variables of their own

threads='probe process.thread.snapshot { printf("%d %d\n", tid() == pid(), @var("per_thread")) }'
run_stap --core "$of_gdb" -e "$threads"
expect "threads" "0 1000
0 1001
0 1002
1 100" "$(sort <<<"$out")"
run_stap --core "$of_gdb" -e 'probe begin { println("begin ", target() == pid()) }
    probe process.snapshot { println("process ", pp()) } probe process.begin { println("begins") }
    probe timer.profile { samples <<< tid() } probe process.thread.snapshot { n++ }
    probe end { println("end ", n, " ", @count(samples)) } global n, samples'
expect "order" 'begin 1
process process.snapshot
begins
end 4 4' "$out"

# ---- stacks as GDB has them

stacks='probe process.thread.snapshot { println(tid(), " ", ubacktrace()) }'
for core in $of_gdb $of_kernel; do
    run_stap --core "$core" -DMAXSTRINGLEN=4096 -e "$stacks"
    by_gdb=$(gdb -batch -nx "$work/program" "$core" -x "$here/stacks.py" 2>/dev/null | grep -E '^[0-9]+ 0x')
    expect "stacks of $core" "$by_gdb" "$(sort -n <<<"$out" | sed 's/ *$//')"
    [ -n "$by_gdb" ] || fail "GDB shows no stacks of $core"
done
run_stap --core "$of_gdb" -e 'probe process.snapshot { print_ubacktrace_fileline() }'
grep -q "wait_here+0x.* at .*program.c:" <<<"$out" || fail "lines of the stack: $out"

# ---- frames beyond code without a table

gcc -g -O0 -Wl,--build-id -o "$work/framed" "$here/framed.c"
start framed
gcore_of "$pid"
run_stap --core "$core" -e 'probe process.frame("begin_there"), process.frame("main") { printf("%s %s\n", pp(), $$parms) }
    probe process.snapshot { println(ubacktrace()) }'
[ "$(grep -c . <<<"$out")" = 3 ] || fail "frames beyond code without a table: $out $err"
grep -q 'begin_there.* number=0x15$' <<<"$out" || fail "variables beyond code without a table: $out $err"
grep -q 'main.* argc=0x1 ' <<<"$out" || fail "variables of main beyond code without a table: $out $err"

# ---- an interpreter that is not known is told of once, as a session does (testsuite/vm/interpreters/found.sh)

printf '%s\n' '#include "stay.h"' 'char _PyRuntime[4096];' 'const unsigned long Py_Version = 0x030f00f0;' \
    'int main(void) { return (int)outer(_PyRuntime[0], 0); }' >"$work/claims.c"
gcc -g -rdynamic -Wl,--build-id -I"$here" -o "$work/claims" "$work/claims.c"
start claims
gcore_of "$pid"
run_stap --core "$core" -e 'probe process.snapshot { print(py_stack(9), py_stack(9)) }'
unknown='frames of Python are missing: [^ ]*/claims is Python 3[.]15[.] Known are CPython 3[.]9 to 3[.]13 with its lock [(]GIL[)]'
expect "warnings of an unknown interpreter: $err" 1 "$(grep -c "^WARNING: $unknown\$" <<<"$err")"

# ---- a block of thread-local variables that another library has left

gcc -g -shared -fPIC -mtls-dialect=gnu -Wl,--build-id -DLIBRARY=of_first -DNUMBER=111 -o "$work/first.so" "$here/reused.c"
gcc -g -shared -fPIC -mtls-dialect=gnu -Wl,--build-id -DLIBRARY=of_second -DNUMBER=222 -o "$work/second.so" "$here/reused.c"
gcc -g -pthread -Wl,--build-id -o "$work/reused" "$here/reused.c" -ldl
start reused "$work/first.so" "$work/second.so"
of_reused=$pid
gcore_of "$pid"
run_stap --core "$core" -e 'probe process.thread.snapshot {
    try { println(@var("of_second", "second.so")[0], " ", @var("of_second", "second.so")[1]) } catch (why) { println(why) } }'
expect "a block that another library has left" "500 223
this thread has no memory yet for the library's thread-local variables" "$(sort <<<"$out")"

# ---- registers that functions have lost, by their unwind information

gcc -g -O2 -Wl,--build-id -o "$work/lost" "$here/lost.c"
start lost
gcore_of "$pid"
run_stap --core "$core" -e 'probe process.frame("with_*") { println(probefunc(), " ", $$locals) }
    probe process.frame("main") { println("a frame that is found by a lost register") }'
expect "lost registers" "with_expression kept=?
with_undefined kept=?
with_frame" "$(sed 's/ room=.*//' <<<"$out")"
[ "$(gdb -batch -nx "$work/lost" "$core" -ex "frame function with_undefined" -ex "print kept" 2>/dev/null | tail -n 1)" = \
    '$1 = <optimized out>' ] || fail "GDB knows what is lost"

# ---- a function that jumped to a library, which jumped back

gcc -g -O2 -DJUMPED -shared -fPIC -Wl,--build-id -o "$work/libjumped.so" "$here/jumps.c"
gcc -g -O2 -Wl,--build-id -o "$work/jumps" "$here/jumps.c" "$work/libjumped.so"
start jumps
gcore_of "$pid"
run_stap --core "$core" -e 'probe process.frame("ping") { println($$parms) } probe process.frame("own") { println($$parms) }'
expect "a parameter after a jump through a library" "number=?
number=0x7" "$out"

# ---- frames with their variables

run_stap --core "$of_gdb" -e 'probe process.frame("wait_here") { printf("%d %d\n", $number, @var("per_thread")) }'
expect "a variable of frames" "-1 100
0 1000
1 1001
2 1002" "$(sort -n <<<"$out")"
run_stap --core "$of_gdb" -e 'probe process.thread.snapshot { if (tid() == pid()) println("thread") }
    probe process.frame("*@program.c") { if (tid() == pid()) printf("%s %s %d\n", pp(), usymname(uaddr()), uframe() > 0) }'
expect "frames, the innermost first, behind their thread" 'thread
process("program").frame("wait_here@program.c:LINE") wait_here 1
process("program").frame("main@program.c:LINE") main 1' "$(sed "s|$work/||g; s|@[^:]*/|@|; s|:[0-9]*\")|:LINE\")|" <<<"$out")"
run_stap --core "$of_gdb" -e 'probe process.frame("main") { printf("%d %d\n", $argc, $threads)
    try { println(register("rax")) } catch (why) { println(why) } print_ubacktrace() }'
grep -q '^4 3$\|^3 3$' <<<"$out" || fail "variables of main: $out"
grep -q "register.*rax" <<<"$out" || fail "a register that calls may change is known: $out"
grep -q wait_here <<<"$out" && fail "a stack from a frame has what is within it: $out"
line=$(grep -n 'wait_here(-1);' "$here/program.c" | cut -d: -f1)
run_stap --core "$of_gdb" -e "probe process.frame(\"*@program.c:$line\") { println(probefunc()) }"
expect "frames by lines" main "$out"
run_stap --core "$of_gdb" -e 'probe process.frame("crash") { println($node) } probe process.snapshot { println("seen") }'
expect "a function that is on no stack" seen "$out"
grep -qF 'process.frame("crash") is never hit: no thread of the process stands in it' <<<"$err" || fail "what is said of it: $err"
run_stap -p2 -e 'probe process("/bin/sh").frame("main") { println(1) }'
grep -qF 'frames are looked at in what stands still; --core=FILE names a core file, -x PID --snapshot a process' <<<"$err" ||
    fail "frames without a core: $err"
if [ -n "$of_kernel" ]; then
    run_stap --core "$of_kernel" -e 'probe process.frame("crash") { printf("%d %d %s\n", uframe(), $node, $$vars) }'
    expect "the frame that crashed" "0 16 node=0x10" "$out"
    # The same script on another core: its frames stand elsewhere.
    run_stap --core "$of_gdb" -e 'probe process.frame("crash")?, process.frame("wait_here") { println(probefunc()) }'
    expect "the same script on a live process's core" 4 "$(grep -c wait_here <<<"$out")"
    run_stap --core "$of_kernel" -e 'probe process.frame("crash")?, process.frame("wait_here") { println(probefunc()) }'
    expect "... and on one of a crash" 1 "$(grep -c crash <<<"$out")"
fi

# ---- where a crash was

if [ -n "$of_kernel" ]; then
    run_stap --core "$of_kernel" -e 'probe process.snapshot { println(usymname(uaddr()), " ", register("rdi")) }'
    grep -q '^crash ' <<<"$out" || fail "the place of the crash: $out"
fi

# ---- an unchanged script is found, also for another core

run_stap --core "$of_gdb" -vv "$here/walk.stp"
grep -q "using cached" <<<"$err" || fail "an unchanged script is compiled again: $err"
expect "walk.stp from the cache" "$walked" "$out"

# ---- never hit, and refused

run_stap --core "$of_gdb" -e 'probe process("program").function("main") { println("x") } probe process.snapshot { println("seen") }'
expect "a point that is never hit" seen "$out"
grep -q 'process("program").function("main") is never hit: nothing runs in a core; process("program").snapshot looks' <<<"$err" ||
    fail "the warning of a point that is never hit: $err"
run_stap --core "$of_gdb" -e 'probe process("program").function("main")?, timer.profile { println("sample"); exit() }'
expect "an optional point beside samples" "sample" "$out"
expect "what is said of it" "" "$err"

# ---- scripts that wait for any event of their target, walk and exit

of_node='@cast(node, "node")'
walk="function walk() { for (node = @var(\"list\"); node; node = $of_node->next) n += $of_node->value; return n }"
any='if (pid() == target()) { begun = local_clock_us(); println("sum ", walk(), local_clock_us() < begun); exit() }'
sum=$(awk 'BEGIN { for (i = 0; i < 1000; i++) sum += i * i % 1000; print sum }')
for point in 'process("program").function("wait_here"), process("program").function("fill")' \
    'process("program").function("nothing")?, timer.profile' 'timer.profile, process("program").begin'; do
    run_stap --core "$of_gdb" -e "$walk probe $point { $any }"
    expect "any event: $point" "sum ${sum}0" "$out"
    expect "status of $point" 0 "$status"
done
run_stap --core "$of_gdb" -e "$walk probe process(\"program\").statement(\"fill@*:*\") { leave() } function leave() { $any }"
expect "any event, left in a function" "sum ${sum}0" "$out"
grep -qF 'looks at the process as it stands, once: nothing runs in a core, and the handler takes any event' <<<"$err" ||
    fail "what is said of any event: $err"

refused() { # SCRIPT TEXT
    run_stap --core "$of_gdb" -e "$1"
    [ "$status" != 0 ] || fail "it is taken: $1"
    grep -qF -- "$2" <<<"$err" || fail "the reason why '$1' is refused: $err"
}
refused 'probe timer.s(1) { exit() } probe end { println(1) }' 'nothing of the script looks at the process'
refused 'probe process.snapshot { println(task_current()) }' 'task_current() asks the running kernel, and a core has none'
refused 'probe process.snapshot { println(kernel_string(1)) }' 'kernel_string() asks the running kernel, and a core has none'
refused 'probe process("program").function("fill") { if (pid() == target()) { println($nodes); exit() } }' \
    'nothing of the script looks at the process'
refused 'probe process("program").function("fill") { println(1); exit() }' 'nothing of the script looks at the process'
refused 'probe process("program").function("fill") { println(target()) }' 'nothing of the script looks at the process'
refused 'probe process("libc.so.6").function("puts") { if (pid() == target()) exit() }' 'nothing of the script looks at the process'
refused 'probe process.snapshot { println(@var("init_task", "kernel")) }' 'nothing of the kernel is looked at'
refused 'probe process.frame("wait_her") { println(1) }' 'no match (similar functions: wait_here)'
refused 'probe process.frame("wait_here") { println($numbr) }' "numbr"
refused 'probe process("/usr/bin/nobody").snapshot { println(1) }' 'the process had mapped no such file'
refused 'probe process("libc.so.6").snapshot { println(1) }' "libc.so.6 is not the program of the process, which runs $work/program"
refused 'probe process(1).snapshot { println(1) }' "the core is of process $live, not of 1"
run_stap -p2 -e 'probe process.snapshot { println(1) }'
grep -qF 'of which process? -x PID names one that runs' <<<"$err" || fail "without a process: $err"
run_stap -p2 -c true -e 'probe process.snapshot { println(1) }'
grep -qF 'the command of -c begins after the snapshot' <<<"$err" || fail "with a command: $err"
run_stap --core "$of_gdb" -e 'probe process.snapshot { %( runtime == "process" %? println("process") %: println(task_current()) %) }'
expect "runtime" process "$out"

# ---- what is not whole, not here, or no core

head -c "$(($(stat -c %s "${of_kernel:-$of_gdb}") / 2))" "${of_kernel:-$of_gdb}" >"$work/cut"
if [ -n "$of_kernel" ]; then
    run_stap --core "$work/cut" -e 'probe process.snapshot { println(usymname(uaddr())) }'
    expect "a core that is cut off" crash "$out"
    grep -qE 'WARNING: the core file is cut off: [0-9]+ bytes' <<<"$err" || fail "what is said of a cut core: $err"
fi
run_stap --core "$work/program" -e 'probe process.snapshot { println(1) }'
grep -qF "$work/program is not a core file; it is a program or library" <<<"$err" || fail "a program as core: $err"
run_stap --core "$work/nothing" -e 'probe process.snapshot { println(1) }'
grep -qF "cannot be read: No such file or directory" <<<"$err" || fail "no core: $err"

# ---- compressed, and from standard input

for how in gzip xz zstd lz4 'lz4 -l' pzstd bzip2 lzip; do
    command -v "${how% *}" >/dev/null || continue
    $how -c "$of_gdb" >"$work/packed" 2>/dev/null
    run_stap --core "$work/packed" "$here/walk.stp"
    expect "walk.stp on a core of $how" "$walked" "$out"
    expect "what is said of a core of $how" "" "$err"
done
cat "$of_gdb" | pzstd -c 2>/dev/null >"$work/packed" || gzip -c "$of_gdb" >"$work/packed"
for input in "$of_gdb" "$work/packed"; do
    out=$(cat "$input" | "$BIN/stap" --core - "$here/walk.stp" 2>"$work/err")
    expect "walk.stp on $input from a pipe" "$walked" "$out"
    expect "what is said of a core from a pipe" "" "$(cat "$work/err")"
    out=$("$BIN/stap" --core - "$here/walk.stp" <"$input" 2>"$work/err")
    expect "walk.stp on $input as standard input" "$walked" "$out"
done
gzip -c "$of_gdb" >"$work/packed"
head -c "$(($(stat -c %s "$work/packed") / 2))" "$work/packed" >"$work/half"
printf 'PK\003\004 a packer that stap does not know' >"$work/foreign"
for input in "$work/foreign" -; do
    run_stap_on "$work/foreign" --core "$input" -e 'probe process.snapshot { println(1) }'
    grep -qF "is packed by zip, which stap does not unpack; unpack it first" <<<"$err" || fail "what is said of zip, $input: $err"
done
run_stap --core "$work/half" -e 'probe process.snapshot { println(1) }'
grep -q "WARNING: $work/half ends too early, or is damaged" <<<"$err" || fail "what is said of half a compressed core: $err"
dd if=/dev/zero bs=1M count=1100 2>/dev/null | gzip -1 >"$work/bomb"
run_stap --core "$work/bomb" --max-core-size=1 -e 'probe process.snapshot { println(1) }'
grep -qF "$work/bomb unpacks to more than 1 GB" <<<"$err" || fail "a bomb: $err"
echo no core | gzip >"$work/packed"
run_stap --core "$work/packed" -e 'probe process.snapshot { println(1) }'
grep -qF "$work/packed is not a core file: it is not an ELF file" <<<"$err" || fail "something compressed: $err"

# ---- a program that stands alone

cd "$work"
run_stap -p4 --runtime=process -m tool -e 'probe process("'"$work/program"'").snapshot {
    println(@var("zeroes")[3], " ", user_string(@var("greeting"))) }'
expect "what is said of a finished program" "" "$err"
for what in "--core=$of_gdb" "-x $live" "-x $live --snapshot=run"; do
    out=$(env -i ./tool $what 2>"$work/err")
    expect "the finished program, $what" "33 hello from the process" "$out"
done
file -L tool 2>/dev/null | grep -q "dynamically linked" && fail "the finished program needs libraries"
./tool --core="$work/half" 2>&1 | grep -q "is compressed; stap --core unpacks it" || fail "a finished program on a compressed core"
./tool 2>&1 | grep -q "which core file, or which process?" || fail "a finished program without a process"
./tool --help | grep -q -- "--snapshot" || fail "the help of a finished program"
run_stap -p4 --runtime=process -m tool -e 'probe process.snapshot { println(@var("zeroes")[3]) }'
grep -q 'a program for any process has to be told whose variables it names' <<<"$err" || fail "variables of any program: $err"
cd "$here"

# ---- what is missing

gone='probe process.snapshot { println(@var("of_second", LIBRARY)) }'
id=$(readelf -n "$work/second.so" | sed -n 's/.*Build ID: //p')
gcc -g -shared -fPIC -Wl,--build-id -DLIBRARY=of_second -DNUMBER=0 -o "$work/second.so" "$here/reused.c"
for name in second.so "$work/second.so"; do
    run_stap --core "$work/gcore.$of_reused" -e "${gone/LIBRARY/\"$name\"}"
    grep -qF "($id)" <<<"$err" || fail "a library that was replaced: $err"
    grep -q kernel <<<"$err" && fail "a library that was replaced is the kernel's: $err"
done
run_stap --core "$of_gdb" -e "${gone/LIBRARY/\"nowhere.so\"}"
grep -qF "had mapped no such file" <<<"$err" || fail "a library that is nowhere: $err"

strip -o "$work/stripped" "$work/program"
id=$(readelf -n "$work/program" | sed -n 's/.*Build ID: //p')
run_stap --core "$of_gdb" --exec "$work/stripped" --missing
grep -qx "debuginfo $id $work/program" <<<"$out" || fail "missing debug information: $out $err"
mv "$work/program" "$work/moved"
run_stap --core "$of_gdb" --missing
grep -qx "executable $id $work/program" <<<"$out" || fail "a missing program: $out $err"
run_stap --core "$of_gdb" -e 'probe process.snapshot { println(@var("threads_of_program")) }'
grep -qF "build-id $id" <<<"$err" || fail "variables of a missing program: $err"
mv "$work/moved" "$work/program"
run_stap --core "$of_gdb" --missing
grep -q "$work/program" <<<"$out" && fail "a program that is here is missing: $out"

cp "$of_gdb" "$work/shrinks"
"$BIN/stap" --core "$work/shrinks" -e 'global n
    probe process.snapshot { println("on"); while (1) n += @var("list")->value }' >"$work/looping" 2>"$work/err" &
started="$started $!"
patiently 60 grep -q on "$work/looping" || fail "no output before the end"
truncate -s 5000 "$work/shrinks"
wait $! && fail "a core that gets shorter is no error"
grep -q "got shorter while it was read" "$work/err" || fail "a core that gets shorter: $(cat "$work/err")"

"$BIN/stap" --core "$of_gdb" -e 'global n probe process.snapshot { println("on"); while (1) n++ }
    probe end { println("end ", n > 0) }' >"$work/interrupted" 2>"$work/err" &
started="$started $!"
patiently 60 grep -q on "$work/interrupted" || fail "no output before the end"
pkill -INT -P $!
wait $!
expect "a script that is interrupted" "on
end 1" "$(cat "$work/interrupted")"

mkdir "$work/elsewhere"
mv "$work/program" "$work/elsewhere/program"
run_stap --core "$of_gdb" --exec "$work/elsewhere/program" "$here/walk.stp"
expect "the program is elsewhere (--exec)" "$walked" "$out"
mkdir -p "$work/root$work"
cp "$work/elsewhere/program" "$work/root$work/program"
ldd "$work/elsewhere/program" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$work/root$(dirname "$(realpath "$library")")"
    cp "$library" "$work/root$(realpath "$library")"
done
run_stap --core "$of_gdb" --sysroot "$work/root" "$here/walk.stp"
expect "all is elsewhere (--sysroot)" "$walked" "$out"
expect "what is said with --sysroot" "" "$err"
build program -O2 -DOTHER
run_stap --core "$of_gdb" "$here/walk.stp"
[ "$status" != 0 ] || fail "another build is taken"
grep -qE 'is another build \([0-9a-f]+\) than the process.s \([0-9a-f]+\); it is not used' <<<"$err" || fail "another build: $err"

# ---- a list that is a circle ends

run_stap --core "$of_gdb" --exec "$work/elsewhere/program" -DMAXACTION=100000 -e 'probe process.snapshot { while (1) n++ } global n'
grep -q "MAXACTION exceeded" <<<"$err" || fail "a circle: $err"

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
