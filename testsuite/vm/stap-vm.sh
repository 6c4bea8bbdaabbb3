#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stap-vm.sh BUILD: stap-vm itself, from the host's side: what only a real guest shows. Test Anything Protocol.
vm=$1/bin/stap-vm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../patiently.sh"
number=0 failed=0

# expect WHAT STATUS STDOUT STDERR: the last run's results, which are in status, out and err. Texts are patterns of [[ == ]].
expect() {
    number=$((number + 1))
    local ok=
    [ "$status" = "$2" ] && [[ $(<"$work/out") == $3 ]] && [[ $(<"$work/err") == $4 ]] || ok='not '
    echo "${ok}ok $number - $1"
    [ -n "$ok" ] || return 0
    failed=$((failed + 1))
    echo "#   exit status $status, expected $2"
    sed 's/^/#   stdout: /' "$work/out"
    sed 's/^/#   stderr: /' "$work/err"
}

# run OPTIONS AND COMMAND...: under a limit of its own, so that a hang fails one test only.
run() {
    timeout -k 5 200 "$vm" "$@" >"$work/out" 2>"$work/err"
    status=$?
}

run -n -- sh -c 'echo "to out"; echo "to err" >&2; exit 7'
expect 'stdout, stderr and the exit status are kept apart' 7 'to out' 'to err'

run -- sh -c 'wc -c; pwd; id -u' < <(head -c 300000 /dev/zero)
expect 'stdin arrives whole and ends; the working directory is kept; the user is root' 0 "300000"$'\n'"$PWD"$'\n'0 ''

run --no-stdin -- wc -c < <(head -c 300 /dev/zero)
expect 'without stdin a command reads nothing' 0 0 ''

run -n -- sh -c 'head -c 20000000 /dev/zero; kill -TERM $$'
[ "$(stat -c %s "$work/out")" = 20000000 ] && : >"$work/out"
expect 'large output is complete; death by signal is reported as shells do' 143 '' ''

run -n -- no-such-command
expect 'a missing command' 127 '' '*cannot run no-such-command in the guest: No such file or directory'

run -n --timeout 3 -- sh -c 'trap "echo ended; exit 0" TERM; while :; do sleep 0.1; done'
expect 'a timeout ends the command with SIGTERM first' 124 'ended' '*the command was still running after 3 seconds'

run -n -- sh -c 'echo before; sleep 1; echo c >/proc/sysrq-trigger; sleep 60'
expect 'a panic is reported with the console' 123 'before' '*the guest died under the command; its console ends with*Kernel panic - not syncing: sysrq triggered crash*'

release=$("$vm" --print-kernel 2>/dev/null | sed -n 's/^release //p')
run -k "$release" -n -- uname -r
expect 'the kernel asked for runs' 0 "$release" ''
run -k ../etc -- true
expect 'what cannot be a kernel is refused' 125 '' "*'../etc' is not a kernel release*"

# The kernel's own unpacker leaves word of KASLR in the flags of its header (KASLR_FLAG in Documentation/arch/x86/boot.rst).
flag='echo $(($(od -An -tu1 -j 529 -N 1 /sys/kernel/boot_params/data) & 2))'
run -n -- sh -c "$flag"
expect 'a kernel is entered behind its unpacker' 0 0 ''
run -n --full-boot -- sh -c "$flag"
expect 'or with all that it does on a machine' 0 2 ''

run -n --verbose -- true
expect 'what takes how long' 0 '' "stap-vm: starting * at * ms"$'\n''stap-vm: guest up at * ms'$'\n''stap-vm: command ended at * ms'

mkdir "$work/share"
run -n --share "$work/share" -- sh -c "echo kept >$work/share/file && echo lost >$work/lost && cat $work/lost"
[ "$(cat "$work/share/file" 2>&1)" = kept ] && [ ! -e "$work/lost" ] || status=unkept
expect 'only shares outlive the guest' 0 'lost' ''
# Tags: GuestNotPrepared.
run -n --share "$work/share:/proc/no/place" -- true
expect 'what cannot be mounted is said' 125 '' \
    '*the guest cannot prepare its file system: mounting the share /proc/no/place: No such file or directory'

run -n --cpus 3 --memory 600 --env FOO=bar --append tapir.test=1 -- \
    sh -c 'nproc; awk "/MemTotal/ { print (\$2 > 450000 && \$2 < 614400) }" /proc/meminfo; echo $FOO; grep -o tapir.test=1 /proc/cmdline'
expect 'processors, memory, environment, kernel parameters' 0 $'3\n1\nbar\ntapir.test=1' ''

# Signals: a terminal's would go to the group, this one goes to the command alone.
: >"$work/out"
"$vm" -n -- sh -c 'trap "echo caught; exit 5" HUP; echo ready; while :; do sleep 0.1; done' >"$work/out" 2>"$work/err" &
patiently 60 grep -q ready "$work/out"
kill -HUP $!
wait $!
status=$?
expect 'output comes at once, and signals reach the command' 5 $'ready\ncaught' ''

# A server in the guest that answers what it is sent in capital letters, and then tries to reach the machine.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
: >"$work/out"
"$vm" -n --forward="$port:7" -- python3 -c '
import socket
server = socket.create_server(("0.0.0.0", 7))
print("ready", flush=True)
client = server.accept()[0]
client.sendall(client.recv(100).upper())
client.close()
try:
    socket.create_connection(("10.0.2.2", int("'"$port"'")), 5)
    print("the machine is reached")
except OSError:
    print("not outside")' >"$work/out" 2>"$work/err" &
patiently 60 grep -q ready "$work/out"
answer=$( (exec 3<>"/dev/tcp/127.0.0.1/$port" && echo hello >&3 && cat <&3) 2>&1)
wait $!
status=$?:$answer
expect 'connections are forwarded, and there is no way out' 0:HELLO $'ready\nnot outside' ''

# The terminal of script(1); what is typed ends the shell.
if command -v script >/dev/null; then
    : >"$work/out"
    SHELL=/bin/sh timeout -k 5 200 script -qec "stty rows 33 cols 111; $vm --shell" /dev/null \
        < <(patiently 60 grep -q '# ' "$work/out" >&2
            printf 'stty size; tty\n'; patiently 60 grep -q /dev/pts "$work/out" >&2
            printf 'exit 6\n'; sleep 20) >"$work/out" 2>"$work/err"
    status=$?
    expect 'a shell has a terminal of the right size' 6 '*33 111*/dev/pts/0*' ''
else
    number=$((number + 1))
    echo "ok $number - a shell has a terminal of the right size # SKIP needs script(1)"
fi

echo "1..$number"
[ "$failed" = 0 ]
