#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of programs that called what is no code, and names of calls that do not return, as GDB has them: cores of the kernel and of
# GDB, and living processes.
#
# Usage: crashes.sh BIN
BIN=$1
. "$(dirname "$0")/lib.sh"

stacks='probe process.thread.snapshot { println(tid(), " ", ubacktrace()) }'

# The stacks of a core or a process, as GDB has them: one per line.
of_gdb() { # PROGRAM CORE-OR-PID
    case $2 in
        */*) gdb -batch -nx "$work/$1" "$2" -x "$here/stacks.py" 2>/dev/null ;;
        *) gdb -batch -nx -p "$2" -x "$here/stacks.py" 2>/dev/null ;;
    esac | grep -E '^[0-9]+ 0x'
}

# same_stacks PROGRAM CORE-OR-PID FRAMES WHAT: at least so many frames.
same_stacks() {
    local by_gdb
    by_gdb=$(of_gdb "$1" "$2")
    case $2 in
        */*) run_stap --core "$2" -DMAXSTRINGLEN=4096 -e "$stacks" ;;
        *) run_stap -w -x "$2" --snapshot -DMAXSTRINGLEN=4096 -e "$stacks" ;;
    esac
    expect "$4" "$by_gdb" "$(sort -n <<<"$out" | sed 's/ *$//')"
    [ "$(head -n 1 <<<"$by_gdb" | wc -w)" -gt "$3" ] || fail "GDB shows too little of $4: $by_gdb"
}

build_wild() { # OUTPUT OPTION...
    gcc -g "${@:2}" -o "$work/$1" "$here/wild.c"
}

# ---- the kernel's cores

build_wild wild -O0 -Wl,--build-id
build_wild fixed -O2 -no-pie -Wl,--build-id=none
build_wild static -O2 -static -Wl,--build-id
build_wild linked -O2 -flto -Wl,--build-id
crash wild null
if [ -z "$core" ]; then
    echo "The kernel sends cores elsewhere: only processes that live are looked at."
else
    run_stap --core "$core" -e 'probe process.frame("f_null") { printf("%d k=%d kept=%d\n", uframe(), $k, $kept) }
        probe process.frame("main") { println(uframe()) }'
    expect "variables of the function that called nothing" "1 k=6 kept=66
2" "$out"
    expect "what is said of them" "" "$err"
    for run in wild:null wild:heap wild:data wild:zeroes wild:text wild:wild wild:stack wild:jump wild:weak \
        fixed:null fixed:text fixed:wild static:null static:heap static:jump static:weak linked:null linked:data linked:jump; do
        rm -rf "$work/dead"
        crash "${run%:*}" "${run#*:}"
        same_stacks "${run%:*}" "$core" 4 "the core of $run"
    done
    # A function that is optimized has its parameter where it was when it called.
    rm -rf "$work/dead"
    crash linked null
    run_stap --core "$core" -e 'probe process.frame("f_null") { println($k) }'
    expect "a parameter of an optimized function" 6 "$out"
fi

# ---- what a signal's handler has interrupted

start wild null caught
same_stacks wild "$pid" 7 "a process in its handler"
gcore_of "$pid"
same_stacks wild "$core" 7 "GDB's core of a process in its handler"
run_stap -w -x "$pid" --snapshot -e 'probe process.frame("f_null") { println($k) }'
expect "a parameter below a handler" 7 "$out"

# ---- names and lines of return addresses, behind calls that do not return

gcc -g -O2 -falign-functions=1 -fno-toplevel-reorder -o "$work/ends" "$here/ends.c"
start ends
ends=$pid
gcore_of "$ends"
names='probe process.snapshot { for (i = 0; (address = ustack(i)); i++) {
    line = usymfileline(address)
    if (isinstr(line, "ends.c")) printf("%d %s %s\n", i, usymname(address), line) } }'
by_gdb=$(gdb -batch -nx "$work/ends" "$core" -x "$here/names.py" 2>/dev/null | grep 'ends\.c:')
[ "$(grep -c 'f_\|main' <<<"$by_gdb")" = 5 ] || fail "GDB shows other functions: $by_gdb"
for what in "--core $core" "-w -x $ends --snapshot"; do
    run_stap $what -e "$names"
    expect "names and lines of return addresses, $what" "$by_gdb" "$(sed 's| [^ ]*/ends| ends|' <<<"$out")"
done
run_stap --core "$core" -e 'probe process.frame("f_*") { println(substr(pp(), strpos(pp(), "f_"), strlen(probefunc())), " ",
    probefunc(), " ", usymname(uaddr()), " ", tokenize(sprint_usyms(ubacktrace()), "+")) }'
expect "names of frames" "f_stay f_stay f_stay f_stay
f_third f_third f_third f_third
f_second f_second f_second f_second
f_first f_first f_first f_first" "$out"
run_stap --core "$core" -e 'probe process.snapshot { println(usymname(@var("kept")[0])) }'
expect "a function behind a call that does not return" behind_other "$out"

# ---- code that a program has copied over its own, to memory of no file

gcc -g -O1 -Wl,--build-id -o "$work/copied" "$here/copied.c"
gcc -g -O1 -Wl,--build-id -Wl,-z,noseparate-code -o "$work/joined" "$here/copied.c"
gcc -g -O1 -Wl,--build-id -static -o "$work/alone" "$here/copied.c"
names='probe process.snapshot { for (i = 0; (address = ustack(i)); i++) printf("%s\n", usymname(address)) }
    probe process.frame("outer") { println($k) }'
for run in copied:whole copied:part joined:whole alone:whole; do
    start "${run%:*}" "${run#*:}"
    same_stacks "${run%:*}" "$pid" 4 "a process with copied code, $run"
    gcore_of "$pid"
    same_stacks "${run%:*}" "$core" 4 "GDB's core of a process with copied code, $run"
    for what in "--core $core" "-w -x $pid --snapshot"; do
        run_stap $what -e "$names"
        expect "names in copied code, $run, $what" "stay outer main 6" "$(grep -x 'stay\|outer\|main\|[0-9]*' <<<"$out" | paste -sd' ')"
        expect "what is said of copied code, $run, $what" "" "$err"
    done
    kill "$pid"
done
# Other code that lies there is not taken for the file's.
start copied other
run_stap -w -x "$pid" --snapshot -e 'probe process.snapshot { println(usymname(ustack(1))) }'
expect "other code in place of the file's" "" "$(grep -x 'stay\|outer\|main\|fill.*' <<<"$out")"

# ---- a program in a file that is only in memory

gcc -g -O1 -Wl,--build-id -o "$work/memfd" "$here/memfd.c"
start memfd
for what in --snapshot --snapshot=run; do
    run_stap -w -x "$pid" $what -e 'probe process.snapshot { print_ubacktrace() }'
    expect "names in a file of memory, $what" "stay outer main" \
        "$(sed -n 's/.* : \(stay\|outer\|main\)+.*/\1/p' <<<"$out" | paste -sd' ')"
done

# ---- cores without the beginnings of files

echo 0x23 >/proc/self/coredump_filter
crash wild null
echo 0x33 >/proc/self/coredump_filter
if [ -n "$core" ]; then
    run_stap --core "$core" -e "$stacks"
    grep -qF 'the core has nothing of it to compare it by; it is not used' <<<"$err" || fail "what is said of such a core: $err"
    grep -qF -- '--sysroot=/ takes the files that are here' <<<"$err" || fail "what to do with such a core: $err"
    run_stap --sysroot=/ --core "$core" -DMAXSTRINGLEN=4096 -e "$stacks"
    expect "a core without the beginnings of files" "$(of_gdb wild "$core")" "$(sed 's/ *$//' <<<"$out")"
    expect "what is said of it with --sysroot=/" "" "$err"
    # The rest of the core is still compared.
    rm -rf "$work/dead"
    crash static null
    gcc -g -O1 -static -Wl,--build-id -o "$work/static" "$here/wild.c"
    run_stap --sysroot=/ --core "$core" -e "$stacks"
    grep -qF 'is another build' <<<"$err" || fail "another build below a sysroot: $err"
fi

[ "$failures" = 0 ] && echo "Stacks and names are those of GDB."
exit $((failures > 0))
