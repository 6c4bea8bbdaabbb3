# SPDX-License-Identifier: GPL-2.0-or-later
# Options of stap, by what they do to processes, to files and to guests. Sourced by run.sh.

# A program that stap starts has the limits, as the kernel tells it.
test_limits_of_resources() {
    printf '#!/bin/sh\ncat /proc/self/limits >"$LIMITS"\nexit 1\n' >ssh && chmod 755 ssh || return
    LIMITS=$work/limits run 1 "$stap" --remote=nowhere.invalid --remote-ssh="$work/ssh" --rlimit-as=17179869184 --rlimit-cpu=1234 \
        --rlimit-fsize=1048576000 --rlimit-nproc=4321 --rlimit-stack=12582912 -e 'probe begin { exit() }' || return
    [ "$(sed -nE 's/^Max (address space|cpu time|file size|processes|stack size) +([0-9]+) .*/\1 \2/p' limits | sort)" = "address space 17179869184
cpu time 1234
file size 1048576000
processes 4321
stack size 12582912" ] || { cat limits; return 1; }
}

test_limit_of_a_resource_above_the_hard_one() {
    run 1 prlimit --stack=8388608:8388608 "$stap" --rlimit-stack=16777216 -p1 -e 'probe begin { }' &&
        says 'Cannot set a resource limit of 16777216: Invalid argument'
}

# People at a terminal are shown the command that has options which are not in the module of -p4.
test_options_for_the_start() {
    local line
    run 0 "$stap" -r "$release" -p4 run offcpu --min=5ms -c 'sleep 1' && ! grep staprun err || return
    line="staprun -c 'sleep 1' $(cat out) min=5000"
    SHELL=/bin/sh run 0 timeout -k 5 $((200 * patience)) script -qec "$stap -r $release -p4 run offcpu --min=5ms -c 'sleep 1'" /dev/null &&
        grep -qF "$line" out
}

test_clean_cache() {
    local root=$work/clean part
    for part in modules modules-served programs results templates index boot symbols-x tapset-index-x tapset-catalogue-x kernels/6.1 toolchains mine; do
        mkdir -p "$root/$part" && echo kept >"$root/$part/file" || return
    done
    TAPIR_CACHE_DIR=$root run 0 "$stap" --clean-cache || return
    [ "$(cat out)" = "$root/kernels stays, with the kernels that were downloaded." ] || return
    [ "$(cd "$root" && find . -type f | sort)" = './kernels/6.1/file
./mine/file
./toolchains/file' ] || { find "$root" -type f; return 1; }
}

# module_number: the number of the file that stap makes of the script, another one if the file is another.
module_number() {
    TAPIR_CACHE_DIR=$work/poison run 0 "$stap" -r "$release" "$@" -p4 -e 'probe begin { println("poison") exit() }' && number=$(stat -c %i "$(cat out)")
}

test_poison_cache() {
    local number first
    mkdir poison && ln -s "$cache/toolchains" "$cache/kernels" "$cache/templates" poison/ || return
    module_number && first=$number && module_number && [ "$number" = "$first" ] || return
    # Kept, so that the new file does not get the number of the old one.
    ln "$(cat out)" old.ko || return
    module_number --poison-cache && [ "$number" != "$first" ] && first=$number || return
    module_number && [ "$number" = "$first" ]
}

test_no_global_var_display() {
    local script='global seen probe process.snapshot { seen = 7 }' status=0
    sleep 1000 &
    run 0 "$stap" -x $! --snapshot -e "$script" && [ "$(cat out)" = 'seen=7' ] &&
        run 0 "$stap" -x $! --snapshot --no-global-var-display -e "$script" && [ ! -s out ] || status=1
    kill $!
    return $status
}

# The kernel takes some of the memory for itself; a guest without the option has twice as much.
test_vm_memory() {
    run 0 "$stap" --vm="$release" --vm-timeout $((30 * patience)) --vm-memory=512 -c 'cat /proc/meminfo' -e 'probe begin { }' || return
    local kilobytes
    kilobytes=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' out)
    [ "$kilobytes" -gt $((256 * 1024)) ] && [ "$kilobytes" -le $((512 * 1024)) ] || { echo "# $kilobytes kB"; return 1; }
    run 1 "$stap" --vm="$release" --vm-memory=255 -e 'probe begin { }' && says "Invalid value '255' for --vm-memory (should be 256-1048576)."
}

# At the terminal of script(1), as a user types.
test_vm_shell() {
    command -v script >/dev/null || { skip "needs the program script"; return; }
    : >out
    local status=0
    SHELL=/bin/sh timeout -k 5 $((200 * patience)) script -qec "$stap --vm-shell=$release" /dev/null \
        < <(patiently 60 grep -q '# ' out >&2; printf 'tty; cat /proc/sys/kernel/osrelease\n'; patiently 60 grep -q '^[0-9]' out >&2
            printf 'exit 6\n'; patiently 60 eval '[ ! -e out ] || grep -q exited out' >&2) >out 2>err || status=$?
    echo exited >>out
    [ $status -eq 6 ] || { echo "# exit status $status"; return 1; }
    tr -d '\r' <out >plain
    grep -qxF "$release" plain && grep -q '/dev/pts/0$' plain
}
