#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests promises to users, from the outside: parallel use, modules for bare machines, runs in a guest, and messages
# about missing things. Ends with "# N passed, N failed, N skipped". VMLINUX in the environment is the kernel's debug information,
# for the tests that need it.
#   run.sh [TEST...]     only these; RELEASE in the environment names another kernel than the newest
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../patiently.sh"
. "$here/../own_library.sh"
bin=${TAPIR_BIN:-$here/../../build/bin}
stap=$bin/stap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir tmp
export TMPDIR=$work/tmp
# Programs that read memory after they have given it back must not get away with it.
export MALLOC_PERTURB_=165
kernel=$("$bin/stap-vm" --print-kernel --headers ${RELEASE:+-k "$RELEASE"}) || exit 2
release=$(sed -n 's/^release //p' <<<"$kernel")
cache=${TAPIR_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tapir}
passed=0 failed=0 skipped=0
vmlinux=${VMLINUX-/usr/lib/debug/boot/vmlinux-$release}

report() { # STATUS NAME SECONDS
    if [ "$1" -eq 77 ]; then
        skipped=$((skipped + 1))
        echo "ok $2 # SKIP $reason"
    elif [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok $2 # $3 s"
    else
        failed=$((failed + 1))
        echo "not ok $2"
        [ -s out ] && sed 's/^/# out: /' out | head -n 20
        [ -s err ] && sed 's/^/# err: /' err | head -n 20
    fi
}

skip() { # REASON: what a test that cannot run ends with
    reason=$1
    return 77
}

# run STATUS COMMAND...: its streams go to out and err; true if it ends with STATUS.
run() {
    local wanted=$1 status=0
    shift
    "$@" >out 2>err </dev/null || status=$?
    [ "$status" -eq "$wanted" ] && return
    echo "# exit status $status, not $wanted"
    return 1
}

says() { grep -qF -- "$1" err || { echo "# not said: $1"; return 1; }; }
prints() { grep -qE -- "$1" out || { echo "# not printed: $1"; return 1; }; }

# A missing script is reported at once, even if other things are wrong.
test_script_missing() {
    local words
    for words in "-r 9.9.9-none" "--vm=9.9.9-none" "--remote=root@nowhere.invalid" "--use-server=nowhere.invalid -r 9.9.9-none"; do
        # shellcheck disable=SC2086 # several words
        run 1 "$stap" $words nofile.stp || return
        [ "$(cat err)" = "Input file 'nofile.stp' is missing.
Pass 1: parse failed.  [man error::pass1]" ] || return
    done
}

# Tools say what they are, take their options, and are built once.
test_tools() {
    mkdir "$work/tools" && run 0 "$here/tools.py" "$stap" "$here/../../tools" "$work/tools" "$release"
}

# The page of all tools has the tools that there are, with what they cost.
test_tools_page() {
    run 0 "$here/../../devel/tools-page" "$stap" "$here/../../tools" "$release" "$here/../../docs/tools.md"
}

# Points of every tool are there; those that are not are named, and so is why a tool is not looked at.
test_tools_on_a_kernel() {
    [ -e "$vmlinux" ] || { skip "needs the debug information of kernel $release"; return; }
    run 0 "$stap" run --check-all -r "$release" && prints '^offcpu +ok, [1-9][0-9]* points$' && ! grep MISSING out || return
    mkdir -p own/group
    echo '@tool("gone", "CPU: where?", "gone") probe kernel.function("no_such_function") {}' >own/group/gone.stp
    echo '@tool("named", "CPU: what?", "named main -c ./prog") @option(f, "main", "<NAME> required text -- of it") probe process.function(f) {}' >own/group/named.stp
    echo '@tool("there", "CPU: why?", "there") probe kernel.function("vfs_read"), kernel.function("vfs_write") {}' >own/group/there.stp
    run 1 "$stap" run -I own --check-all -r "$release" && prints "^gone +MISSING: no match: string '\"no_such_function\"'\$" &&
        prints '^named +not checked: it wants a NAME of a program$' && prints '^there +ok, 2 points$' &&
        prints "^[0-9]+ tools on $release: [0-9]+ resolved, 1 with missing points, [0-9]+ not checked\$"
}

# Commands that pages name in place of other people's tools are translated.
test_tools_of_others() {
    [ -e "$vmlinux" ] || { skip "needs the debug information of kernel $release"; return; }
    run 0 "$here/tools_of_others.py" "$stap" "$release" "$here"/../../docs/from-{bpftrace,systemtap}.md && tail -n 1 out
}

# testsuite/bench/startup.sh measures the cost.
test_prepare() {
    mkdir "$work/prepare" && ln -s "$cache/toolchains" "$cache/kernels" "$work/prepare/"
    TAPIR_CACHE_DIR=$work/prepare run 0 "$stap" -r "$release" --prepare || return
    ! grep -n -A 3 ': warning: ' "$work"/prepare/templates/*/build.log
}

# The library is made by the benchmark, which says what 5,500 names more cost.
test_a_large_library() {
    run 0 "$here/../bench/startup.sh" -l "$work/large" -t 250 || return
    run 0 "$stap" -r "$release" -I "$work/large" -p2 -e 'probe begin { println(@t_macro_240_3(1, 2)) }'
}

test_parallel_runs_agree() {
    local i script="probe begin { println(\"parallel $RANDOM$RANDOM\") exit() }"
    for i in 1 2 3 4 5 6; do
        "$stap" -r "$release" -p4 -e "$script" >"path$i" 2>>err </dev/null &
    done
    wait
    for i in 2 3 4 5 6; do cmp path1 "path$i" || return; done
    [ -s "$(cat path1)" ]
}

test_module_runs_on_a_bare_machine() {
    run 0 "$stap" -r "$release" -p4 -m bare -e 'global n; probe kernel.function("vfs_read") { n++ }
        probe timer.ms(100) { if (n) { println("bare machine") exit() } }' || return
    mkdir -p root/bin root/proc root/sys root/dev root/tmp root/run
    cp /bin/busybox root/bin/busybox && cp "$bin/staprun" root/staprun && mv bare.ko root/ || return
    run 0 "$bin/stap-vm" -k "$release" --root "$work/root" --chdir / --timeout $((30 * patience)) -- /staprun /bare.ko && prints '^bare machine$'
}

test_guest_run_keeps_streams_and_status_apart() {
    run 0 "$stap" --vm="$release" --vm-timeout $((30 * patience)) -e 'probe begin { println("to stdout") warn("to stderr") exit() }' &&
        prints '^to stdout$' && says 'WARNING: to stderr' || return
    run 1 "$stap" --vm="$release" --vm-timeout $((30 * patience)) -e 'probe begin { error("it broke") }' && says 'ERROR: it broke near'
}

test_guest_run_writes_the_output_file_here() {
    run 0 "$stap" --vm="$release" --vm-timeout $((30 * patience)) -o result -e 'probe begin { println("in the file") exit() }' &&
        grep -q '^in the file$' result
}

# Files in the guest end with it; captures and pictures have to be here.
test_guest_run_leaves_captures_and_pictures_here() {
    run 0 "$stap" --vm="$release" --vm-timeout $((60 * patience)) --record run.tapir -o run.folded --min-quality 0 -c 'cat /proc/version' \
        -e 'probe syscall.write { if (pid() == target()) @sample(stacks(), 1) } probe end { println("said") }' &&
        prints '^said$' && says 'wrote run.tapir, 1 sample' && says 'wrote run.folded: 1 sample, ' || return
    grep -q '^# of: stap --vm' run.folded && grep -qx '# target: cat /proc/version' run.folded || { cat run.folded; return 1; }
    [[ $(tail -n 1 run.folded) == *write*' 1' ]] || { cat run.folded; return 1; }
    run 0 "$bin/stap-report" run.tapir -o again.folded --accept-partial && cmp run.folded again.folded || return
    # A script that samples nothing writes text, with any name of the file.
    run 0 "$stap" --vm="$release" --vm-timeout $((30 * patience)) -o text.svg -e 'probe begin { println("text") exit() }' && grep -qx text text.svg
}

test_command_in_the_guest() {
    run 0 "$stap" --vm="$release" --vm-timeout $((30 * patience)) -c 'cat /proc/version' \
        -e 'probe end { printf("target %d\n", target() > 0) }' && prints '^Linux version ' && prints '^target 1$'
}

test_no_build_tree() {
    run 1 "$stap" -r 9.9.9-none -p4 -e 'probe begin { }' && says 'linux-headers-9.9.9-none'
}

test_misspelt_function() {
    run 1 "$stap" -r "$release" -p4 -e 'probe kernel.function("vfs_raed") { }' && says 'vfs_read' && says '<input>:1:'
}

test_unwritable_output_file() {
    run 1 "$stap" --vm="$release" --vm-timeout $((30 * patience)) -o /nowhere/at/all -e 'probe begin { exit() }' && says '/nowhere/at/all'
}

test_no_qemu() {
    mkdir -p without && find /usr/bin -maxdepth 1 ! -type d ! -name "qemu-*" -exec ln -s -t without {} + || return
    run 1 env PATH="$work/without" "$stap" --vm="$release" -e 'probe begin { exit() }' && says 'qemu'
}

# The C compiler speaks of the script's lines, not of those of the text it is given.
test_embedded_c_errors_name_the_script() {
    printf 'probe begin { println(f(1)) }\nfunction f:long(n:long) %%{\n\tSTAP_RETVALUE = mising + STAP_ARG_n;\n%%}\n' >wrong.stp
    run 1 "$stap" -r "$release" -p4 -g wrong.stp && says "wrong.stp:3:" && says "mising" && says 'Pass 4: compilation failed.' || return
    run 1 "$stap" -r "$release" -p4 -g -e 'probe begin { println(%{ 1 + absent %}) %{ gone(); %} }' && says '<input>:1:' && says 'absent' &&
        says 'gone' || return
    # The result is an array to write to.
    run 1 "$stap" -r "$release" -p4 -g -e 'function f:string() %{ STAP_RETVALUE = "text"; %} probe begin { println(f()) }' && says '<input>:1:' &&
        says 'assignment' || return
    # A text is no number, and a number no text, even if the compiler would accept both.
    run 1 "$stap" -r "$release" -p4 -g -e 'global v = 1 function w() %{ /* pragma:write:v */ STAP_GLOBAL_SET_v("test"); %} probe begin { w() println(v) }' &&
        says '<input>:1:' || return
    run 1 "$stap" -r "$release" -p4 -g -e 'global s = "a" function w() %{ /* pragma:write:s */ STAP_GLOBAL_SET_s(5); %} probe begin { w() println(s) }' &&
        says '<input>:1:' || return
    run 1 "$stap" -r "$release" -p4 -g -e 'global a function w() %{ /* pragma:write:a */ STAP_GLOBAL_SET_a("k", 5); %} probe begin { a[1] = 2; w() println(a[1]) }' &&
        says '<input>:1:' || return
    run 1 "$stap" -r "$release" -p4 -g -e 'function w:long() %{ STAP_RETVALUE = "five"; %} probe begin { println(w()) }' && says '<input>:1:'
}

test_limits_are_checked_and_macros_explained() {
    run 1 "$stap" -r "$release" -p2 -D MAXSTRINGLEN=abc -e 'probe begin { }' &&
        says "Invalid value of -D MAXSTRINGLEN=abc: MAXSTRINGLEN is a number from 16 to 65536, not 'abc'." || return
    run 0 "$stap" -r "$release" -p2 -D MAXACTOIN=20 -D MAXBACKTRACE=20 -e 'probe begin { }' &&
        says 'WARNING: -D MAXACTOIN has no effect: it is not a limit (similar: MAXACTION)' &&
        says 'WARNING: -D MAXBACKTRACE is not needed: stacks are shown with up to 128 frames' || return
    run 0 "$stap" -r "$release" -g -p2 -D MINE=20 -e 'probe begin { }' && [ ! -s err ]
}

test_errors_for_programs() {
    run 1 "$stap" -r "$release" -p2 --semantic-keep-going -e 'probe begin { nosuch(1) println("a" + 1) }' &&
        says 'SEMANTIC_ERRORS: 2' && says "$(printf 'SEMANTIC_ERROR\t<input>\t1\t15\tnosuch\tunresolved function nosuch')" &&
        says 'SEMANTIC_ERRORS_END'
}

test_warnings_as_errors() {
    run 0 "$stap" -r "$release" -p2 -e 'global g probe begin { }' && says "WARNING: Eliding unused variable 'g'" || return
    run 1 "$stap" -r "$release" -W -p2 -e 'global g probe begin { }' && says "semantic error: Eliding unused variable 'g'" || return
    run 0 "$stap" -r "$release" -w -p2 -e 'global g probe begin { }' && [ ! -s err ]
}

test_lists() {
    run 0 "$stap" -r "$release" --dump-functions && prints '^strlen:long \(s:string\)' && ! prints '^_' >/dev/null || return
    run 0 "$stap" -r "$release" --dump-probe-types && prints '^kernel\.function\(string\)\.call$' && prints '^timer\.ms\(number\)$' || return
    run 0 "$stap" -r "$release" --dump-probe-aliases || return
    run 0 "$stap" -r "$release" -l 'timer.*(5)' && prints '^timer\.ms\(5\)$' || return
    run 1 "$stap" -r "$release" -l 'no.such.probe' && [ ! -s out ] && [ ! -s err ]
}

test_dumps_are_sorted_and_whole() {
    local what
    for what in functions probe-types probe-aliases; do
        run 0 "$stap" -r "$release" "--dump-$what" && LC_ALL=C sort -c out && [ "$(LC_ALL=C sort out | uniq -d | wc -l)" -eq 0 ] || return
        run 0 "$stap" -r "$release" -v "--dump-$what" && LC_ALL=C sort -c out || return
    done
    run 0 "$stap" -r "$release" --dump-functions && ! grep -vE '^[A-Za-z0-9]\w*:(long|string|unknown) \((\w+:(long|string|unknown)(, )?)*\)( /\* [a-z-]+ \*/)*$' out ||
        return
    run 0 "$stap" -r "$release" --dump-probe-types || return
    local form
    for form in begin 'end(number)' 'error' never 'timer.hz(number)' timer.profile 'perf.type(number).config(number)' \
        'kernel.function(string).return.maxactive(number)' 'kernel.statement(number).absolute' 'module(string).function(string).inline' \
        'kprobe.module(string).function(string)' 'kernel.data(string).length(number).rw' 'process(string).data(string).write' 'kernel.trace(string)' \
        'procfs(string).umask(number).read' 'netfilter.pf(string).hook(string)'; do
        grep -qxF "$form" out || { echo "# not listed: $form"; return 1; }
    done
}

test_lists_of_system_calls_agree() { run 0 "$here/syscall_lists.py" --release "$release" --bin "$bin"; }

# A user's tapsets are like those that come with the program.
test_own_tapsets() {
    local home=$work/home
    mkdir -p mine/6.1 mine/5.10 mine/x86_64 mine/PATH/usr/bin "$home/.local/share/systemtap/tapset" others/systemtap/tapset
    printf 'probe mine.start = begin { who = "%%s" . @decorated("mine") }\nfunction which:string () { return "any" }\n' >mine/a.stp
    printf 'function which:string () { return "6.1" }\n' >mine/6.1/a1.stp
    printf 'function old:string () { return "5.10" }\n' >mine/5.10/b.stp
    printf '@define decorated(text) %%( "<" . @text . ">" %%)\n' >mine/m.stpm
    printf 'probe starts = process.begin { name = execname() }\n' >mine/PATH/usr/bin/true.stp
    printf 'function of_home:long () %%{ STAP_RETVALUE = 1; %%}\n' >"$home/.local/share/systemtap/tapset/h.stp"
    printf 'function of_others:long () { return 2 }\nfunction strlen:long (s:string) { return 3 }\n' >others/systemtap/tapset/o.stp
    printf 'probe timer.profile = timer.nonesuch { }\n' >>others/systemtap/tapset/o.stp
    printf 'function broken:long () {\n\treturn nonesuch(1)\n}\n' >mine/broken.stp
    printf 'function embedded:long () %%{ %%}\n' >others/systemtap/tapset/e.stp
    local tapsets=(env HOME="$home" XDG_DATA_HOME= XDG_DATA_DIRS="$work/others" "$stap" -r "$release" -I mine)
    run 0 "${tapsets[@]}" -p2 -v -e 'probe mine.start { println(who, which(), of_home(), of_others(), strlen("abc")) }' &&
        prints '^of_home:long' && prints '^of_others:long' && prints '^strlen:long' && prints 'STAP_ARG_s' || return
    run 0 "${tapsets[@]}" -p2 -e 'probe timer.profile { println(1) }' && prints '^timer\.profile /\*' || return
    run 1 "${tapsets[@]}" -p2 -e 'probe begin { println(old()) }' && says 'unresolved function old' || return
    run 1 "${tapsets[@]}" -p2 -e 'probe begin { println(embedded()) }' && says 'systemtap/tapset/e.stp is left out' || return
    run 0 "${tapsets[@]}" -p2 -e 'probe starts { println(name) }' && prints '^process\("/usr/bin/true"\)\.begin ' || return
    run 1 "${tapsets[@]}" -p2 -e 'probe begin { println(broken()) }' && says "identifier 'nonesuch' at mine/broken.stp:2:9" || return
    run 0 "${tapsets[@]}" -L 'mine.**' && prints '^mine\.start who:string$' || return
    run 0 "$stap" -r "$release" -I nowhere -p2 -e 'probe begin { println(1) }' && says "there is no tapset directory 'nowhere' (-I)"
}

# As other programs read it.
test_lists_of_target_variables() {
    run 0 "$stap" -r "$release" -L 'kernel.trace("sched:sched_process_f*k")' &&
        prints '^kernel\.trace\("sched:sched_process_fork"\) \$parent:struct task_struct\* \$child:struct task_struct\*$' || return
    # A tracepoint that a module exports, without its name.
    run 0 "$stap" -r "$release" -L 'kernel.trace("kvm_entry")' && prints '^kernel\.trace\("kvm:kvm_entry"\) \$vcpu:struct kvm_vcpu\*' || return
    [ -e "$vmlinux" ] || { skip "needs the debug information of kernel $release"; return; }
    local place='kernel\.function\("vfs_read@fs/read_write\.c:[0-9]+"\)' parameters
    parameters=' \$file:struct file\* \$buf:char\* \$count:size_t \$pos:loff_t\*'
    run 0 "$stap" -r "$release" -L 'kernel.function("vfs_read").return' && prints "^$place\\.return \\\$return:ssize_t$parameters\$" &&
        run 0 "$stap" -r "$release" -L 'kernel.function("vfs_read")' && prints "^$place$parameters" &&
        run 0 "$stap" -r "$release" -l 'kernel.function("vfs_read")' && prints "^$place\$"
}

# In installed files, in the kernel, and with debug information in files of its own.
test_listed_functions_are_found_again() {
    run 0 "$here/names.py" --release "$release" --bin "$bin" --vmlinux "$vmlinux" && tail -n 1 out
}

test_install() {
    run 0 cmake --install "$bin/.." --prefix "$work/usr" || return
    local file
    for file in bin/stap bin/staprun bin/stap-vm bin/stap-docs bin/stap-sign bin/stap-server share/man/man8/stap-server.8 libexec/tapir/stap-vm-agent share/man/man1/stap.1 share/man/man1/stap-vm.1 share/man/man1/stap-sign.1 \
        share/man/man8/staprun.8 share/man/man3/stapprobes.3stap share/man/man3/stapfuncs.3stap share/man/man3/function::strlen.3stap \
        share/man/man3/tapset::string.3stap share/man/man7/error::pass2.7 share/man/man7/error::fault.7 share/doc/tapir/reference/index.html share/doc/tapir/reference/string.html share/tapir/tapsets share/tapir/runtime share/tapir/kmod share/tapir/arch/c; do
        [ -e "usr/$file" ] || { echo "# not installed: $file"; return 1; }
    done
    # A message's manual page is shown as a user would ask for it.
    run 0 mandoc -T ascii usr/share/man/man7/error::fault.7 && prints '^ +error::fault - a handler read or wrote memory' || return
    run 0 env TAPIR_CACHE_DIR="$work/cache" usr/bin/stap -r "$release" -p4 -e 'probe begin { println(pid()) exit() }' && [ -s "$(cat out)" ] &&
        run 0 usr/bin/stap -r "$release" -vv -p2 -e 'probe begin { println(pid()) }' && says "Searched: \"$work/usr/share/tapir/tapsets\""
}

test_script_as_a_program() {
    printf '#!%s -r%s -p1\nprobe begin { println("x") }\n' "$stap" "$release" >program
    chmod +x program
    run 0 ./program && prints 'println'
}

# Calls that the kernel has, by its headers, of both ABIs: each can be named, and syscall.* has as many aliases as there are with
# names of their own.
test_every_system_call_has_an_alias() {
    local build generated abi
    build=$(sed -n 's/^build //p' <<<"$kernel")
    generated=$build/arch/x86/include/generated
    for abi in 64 32; do
        awk 'FNR == NR { if (/^__SYSCALL/ && !/sys_ni_syscall/ && match($0, /[0-9]+/)) there[substr($0, RSTART, RLENGTH)]; next }
            /^#define __NR_/ && $3 in there { print substr($2, 6) }' "$generated/asm/syscalls_$abi.h" "$generated/uapi/asm/unistd_$abi.h"
    done | sort -u >names
    [ "$(wc -l <names)" -gt 400 ] || { echo "# the headers name $(wc -l <names) calls"; return 1; }
    sed 's/.*/probe syscall.&, syscall.&.return { n++ }/; 1s/^/global n /' names >every.stp
    run 0 "$stap" -r "$release" -p2 every.stp || return
    run 0 "$stap" -r "$release" -l 'syscall.*' && [ "$(wc -l <out)" -gt 350 ] && run 0 sort -C out
}

test_every_function_and_alias_of_the_library() {
    [ -e "$vmlinux" ] || { skip "needs the debug information of kernel $release"; return; }
    # Tapsets of other packages are none of it.
    XDG_DATA_DIRS=$here/../fixtures/foreign run 0 "$here/library.py" --release "$release" --bin "$bin" && cat out
}

# Other people's scripts; EXAMPLES_IN_GUEST=yes also runs them, which takes a quarter of an hour.
test_examples_of_systemtap_doc() {
    [ -e "$vmlinux" ] || { skip "needs the debug information of kernel $release"; return; }
    local status=0
    "$here/examples.py" --release "$release" --bin "$bin" ${EXAMPLES_IN_GUEST:+--guest} >out 2>err </dev/null || status=$?
    [ "$status" -ne 77 ] || { skip "Debian's package systemtap-doc cannot be downloaded"; return; }
    tail -n 2 out
    return "$status"
}

test_locations_of_variables_are_those_gdb_finds() {
    [ -e "$vmlinux" ] || { skip "needs the debug information of kernel $release"; return; }
    command -v gdb >/dev/null || { skip "needs the program gdb"; return; }
    run 0 "$here/locations.py" --release "$release" --pairs 100 "$vmlinux" && tail -n 2 out
}

# The whole of what users are told about their mistakes.
test_mistakes() {
    [ -e "$vmlinux" ] || { skip "needs the debug information of kernel $release"; return; }
    command -v gcc >/dev/null || { skip "needs the program gcc"; return; }
    mkdir "$work/mistakes" && run 0 "$here/mistakes.py" "$stap" "$release" "$work/mistakes"
}

# VALUE_PAIRS and VALUE_SEED in the environment take more of them, and others.
test_values_of_variables_are_those_gdb_prints() {
    command -v gdb >/dev/null || { skip "needs the program gdb"; return; }
    run 0 python3 "$here/values" --release "$release" --pairs "${VALUE_PAIRS:-250}" --seed "${VALUE_SEED:-1}" && grep '^#' out
}

# Differences that long runs have found: an address on the stack that is described as the value, numbers of three and seven bytes, a block
# outside of the one it is in, an argument that Go loses, a static variable of a block without code.
test_values_that_once_differed() {
    command -v gdb >/dev/null || { skip "needs the program gdb"; return; }
    local program
    for program in "30013 rustc-O3-dwarf2-stripped" "30048 clang-Os-dwarf5-static" "30095 gcc-Og-dwarf2-static" "30105 go-O2-dwarf4-plain" \
        "40089 gcc-O0-dwarf5-static"; do
        command -v "$(sed 's/.* //; s/-.*//' <<<"$program")" >/dev/null || continue
        run 0 python3 "$here/values" --release "$release" --pairs 45 --seed "${program% *}" --variant "${program#* }" || return
    done
}

# PARAMETER_FUNCTIONS and VALUE_SEED likewise.
test_parameters_are_those_passed() {
    run 0 "$here/parameters.py" --release "$release" --functions "${PARAMETER_FUNCTIONS:-4}" --seed "${VALUE_SEED:-1}" && grep '^#' out
}

# RETURN_VALUES likewise.
test_results_are_those_gdb_finishes_with() {
    command -v gdb >/dev/null || { skip "needs the program gdb"; return; }
    run 0 "$here/returns.py" --release "$release" --values "${RETURN_VALUES:-250}" --seed "${VALUE_SEED:-1}" && grep '^#' out
}

# EXIT_FILES in the environment takes more of the installed files than the first of a fixed order; 300 take a quarter of an hour.
test_exits_of_functions_are_those_objdump_shows() {
    command -v objdump >/dev/null || { skip "needs the program objdump"; return; }
    [ "$(uname -m)" = x86_64 ] || { skip "code of this processor is not decoded"; return; }
    run 0 "$here/exits.py" --bin "$bin" --files "${EXIT_FILES:-6}" && grep '^#' out
}

# In instructions, which do not depend on the machine.
test_start_up_costs_no_more_than_it_may() {
    command -v valgrind >/dev/null || { skip "needs the program valgrind"; return; }
    run 0 "$here/../bench/startup.sh" --check -i -r "$release" "$stap"
}

# Ended while it prepares a kernel: the first time that a directory of work is there, for each of the signals.
test_a_signal_leaves_nothing_behind() {
    local root=$work/ended signal stap_pid left
    for signal in INT TERM HUP; do
        rm -rf "$root" && mkdir -p "$root/tmp" && ln -s "$cache/toolchains" "$cache/kernels" "$root/"
        (
            trap - "$signal"
            TMPDIR=$root/tmp TAPIR_CACHE_DIR=$root exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$stap" -r "$release" -p4 -e 'probe begin { println("ended") }'
        ) >out 2>err &
        stap_pid=$!
        patiently 60 eval 'ls -d "$root"/templates/.new-* 2>/dev/null' || return
        kill -"$signal" "$stap_pid"
        wait "$stap_pid"
        [ $? -eq $((128 + $(kill -l "$signal"))) ] || { echo "# $signal: another end"; return 1; }
        left=$(find "$root" "$root/tmp" -mindepth 1 -maxdepth 2 -name '.new-*' -o -path "$root/tmp/*")
        [ -z "$left" ] || { echo "# $signal left: $left"; return 1; }
    done
}

test_work_of_the_translator_grows_as_scripts_do() {
    command -v valgrind >/dev/null || { skip "needs the program valgrind"; return; }
    run 0 "$here/../bench/scaling.sh" --check -n 250 "$stap"
}

test_nothing_is_left() {
    local left
    left=$(ls -A "$TMPDIR")
    [ -z "$left" ] || { echo "# left: $left"; return 1; }
}

. "$here/options.sh"
. "$here/sxx.sh"
. "$here/cost.sh"

for name in $(declare -F | sed -n 's/^declare -f test_//p' | grep -vx nothing_is_left) nothing_is_left; do
    [ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
    rm -f out err
    begun=$SECONDS
    "test_$name"
    report $? "$name" $((SECONDS - begun))
done
echo "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
