# SPDX-License-Identifier: GPL-2.0-or-later
# Rights to look at processes with --snapshot, and the messages to users without them: kernel.yama.ptrace_scope, other users, root
# without rights, namespaces. The last one, ptrace_scope 3, lasts until the guest ends.
#: long: a guest of its own starts, and looks at processes of many users
#: requires: program perl setpriv unshare
#: requires: file /proc/sys/kernel/yama/ptrace_scope
#: append: audit=0
#: host: cc -g -O1 -pthread -Wl,--build-id -o program "$AREA/../../core/program.c"
#: host: "$STAP" -p4 --runtime=process -m look -e 'probe process("'"$W"'/program").snapshot { println(user_string(@var("greeting")), " ", pid() == target()) }'
#: timeout: 120
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }
scope() { echo "$1" >/proc/sys/kernel/yama/ptrace_scope; }
begin() { # COMMAND...: sets pid
    rm -f ready
    "$@" >ready &
    eventually 30 grep -q ready ready
    pid=$(pgrep -nx program)
}
look() { # COMMAND...
    "$@" 2>err || :
}
# said TEXT COMMAND...: the command looks at the process in both ways, and both are refused with this text.
said() {
    local text=$1 how
    shift
    for how in stop run; do
        is_equal "what '$*' sees, $how" "$(look "$@" ./look -x $pid --snapshot=$how)" ''
        grep -qF -- "process $pid $text" err || fail "'$*' is told, $how: $(cat err)"
    done
}
seen() { # COMMAND...
    local how
    for how in stop run; do
        is_equal "what '$*' sees, $how" "$(look "$@" ./look -x $pid --snapshot=$how)" 'hello from the process 1'
    done
}

chmod 755 . look program
begin as 1000 ./program 10 1
scope 0
seen as 1000
seen as 0
said 'may not be looked at: it belongs to user 1000; run stap as that user, or as root' as 1001
scope 1
said "may not be looked at: kernel.yama.ptrace_scope is 1, so that only a parent may trace; run stap as root, or 'sysctl kernel.yama.ptrace_scope=0' as root" as 1000
said 'may not be looked at: it belongs to user 1000; run stap as root' as 1001
seen as 0
scope 2
said 'may not be looked at: kernel.yama.ptrace_scope is 2, so that only root may trace; run stap as root' as 1000
seen as 0

# Root, less than root should be.
said "may not be looked at: this root has no CAP_SYS_PTRACE; a container gets it by '--cap-add=SYS_PTRACE'" \
    setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace
said 'may not be looked at: this root is that of a user namespace, and the process is outside of it; run stap outside, as root' \
    as 1000 unshare --user --map-root-user

# A program with secrets of its own.
scope 0
rm -f ready
as 1000 perl -e '$| = 1; syscall(157, 4, 0, 0, 0, 0); print "ready\n"; sleep 100000' >ready &
eventually 30 grep -q ready ready
first=$pid
pid=$(pgrep -nx perl)
said 'may not be looked at: its program has rights or secrets of its own (prctl(2), PR_SET_DUMPABLE); run stap as root' as 1000
pid=$first

# Programs of containers: other paths, numbers and users than here.
place=$(mktemp -d)
chmod 755 "$place"
begin unshare --mount --pid --fork --user --map-root-user bash -euc 'mount -t tmpfs none "$0" && cp program "$0" && exec "$0/program" 10 1' "$place"
[ ! -e "$place/program" ] || fail 'the program is here, too'
seen as 0

scope 3
said 'may not be looked at: kernel.yama.ptrace_scope is 3, so no process may be traced until the machine boots again; without --snapshot, the kernel looks at it' as 0
said 'may not be looked at: kernel.yama.ptrace_scope is 3' as 1000
