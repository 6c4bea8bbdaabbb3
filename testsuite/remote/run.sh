#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# From end to end: scripts sent to two guests with different kernels, each of which offers nothing but sshd, a shell and busybox.
#     testsuite/remote/run.sh [RELEASE RELEASE]
# Unless told, the kernels are this machine's newest and the one that ./check runs other guest tests on.
# Ends with "# N passed, N failed, N skipped".
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/../../build/bin" && pwd)
releases=("${1:-$("$bin/stap-vm" --print-kernel | sed -n 's/^release //p')}" "${2:-$("$here/../matrix/run.sh" --release 6.12)}")
work=$(mktemp -d /tmp/tapir-remote-test.XXXXXX)
guests=() pids=()
. "$here/../patiently.sh"
. "$here/../own_library.sh"
. "$here/../server/common.sh"
passed=0 failed=0 skipped=0

trap 'end_processes "${guests[@]}"; rm -rf "${outer:-$work}"' EXIT

. "$here/expect.sh"

give_up() {
    echo "not ok - $1"
    echo "# $passed passed, $((failed + 1)) failed, 0 skipped"
    exit 1
}

for program in /usr/sbin/sshd ssh scp busybox; do
    command -v "$program" >/dev/null && continue
    echo "ok - hosts of a fleet # SKIP there is no $program"
    echo '# 0 passed, 0 failed, 1 skipped'
    exit 0
done
ssh-keygen -q -t ed25519 -N '' -f "$work/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/user" || give_up 'no keys'
cp "$here/host.sh" "$work/"

# The ports are free now; who takes one meanwhile makes the guest fail, which is said.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
ports=() remotes=()
for i in 0 1; do
    "$bin/stap-vm" --kernel="${releases[i]}" --print-kernel --headers >/dev/null 2>"$work/err" || give_up "kernel ${releases[i]} cannot be had"
    ports[i]=$(free_port)
    remotes[i]=--remote=root@127.0.0.1:${ports[i]}
    "$bin/stap-vm" -n --kernel="${releases[i]}" --forward="${ports[i]}:22" -- sh "$work/host.sh" "$work" >"$work/guest$i" 2>&1 &
    guests[i]=$!
done
options=(-o "IdentityFile=$work/user" -o StrictHostKeyChecking=no -o "UserKnownHostsFile=$work/known" -o BatchMode=yes -o LogLevel=ERROR
    -o ConnectTimeout=30 -o ServerAliveInterval=20)
fleet=(--remote-ssh-option="IdentityFile=$work/user" --remote-ssh-option=StrictHostKeyChecking=no
    --remote-ssh-option="UserKnownHostsFile=$work/known" --remote-ssh-option=LogLevel=ERROR)
on() {
    local port=${ports[$1]}
    shift
    ssh "${options[@]}" -p "$port" root@127.0.0.1 "$@"
}
lets_in_or_ends() { on "$1" true 2>"$work/err" </dev/null || ! kill -0 "${guests[$1]}" 2>/dev/null; }
for i in 0 1; do
    patiently 300 lets_in_or_ends "$i"
    on "$i" true 2>"$work/err" </dev/null || { sed 's/^/# /' "$work/guest$i"; give_up "guest $i does not let anyone in"; }
done

# Nothing of Tapir may be on a host, in memory or in files.
left() { on "$1" 'ls -d /tmp/tapir-* /run/tapir-* /staprun /*.ko 2>/dev/null; grep "^stap_\|^count" /proc/modules' </dev/null; }

"$bin/stap" "${remotes[@]}" "${fleet[@]}" --remote-prefix -e "probe begin {
    printf(\"%d %s %s\\n\", remote_id(), remote_uri(), %( kernel_vr == \"${releases[0]}\" %? \"${releases[0]}\" %: \"${releases[1]}\" %)) exit() }" \
    </dev/null >"$work/out" 2>"$work/err"
status=$?
expect 'one script on two kernels' "$status:$(sort "$work/out")" "0:$(for i in 0 1; do
    echo "root@127.0.0.1:${ports[i]}: $i root@127.0.0.1:${ports[i]} ${releases[i]}"
done | sort)"
for i in 0 1; do expect "nothing is left on host $i" "$(left $i)" ''; done

# Records of both: valid, whole, in the order of each host's clock, with what relates the clocks; and the guests' clocks agree with this
# machine's, from which they have the time, to a few seconds.
"$bin/stap" "${remotes[@]}" "${fleet[@]}" --format=json -e 'global n probe begin { n = 3; printf("from %d\n", remote_id()) exit() }' \
    </dev/null >"$work/records" 2>"$work/err"
status=$?
judged=$(python3 - "$work/records" "$here/../../docs/output.schema.json" "${remotes[@]#--remote=}" <<'END' 2>&1
import json, sys, time

records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
try:
    import jsonschema
    validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[2], encoding="utf-8")))
    for record in records:
        validator.validate(record)
except ImportError:
    pass
assert {r["remote"] for r in records} == set(sys.argv[3:]), "a record has no host, or a wrong one"
for number, host in enumerate(sys.argv[3:]):
    mine = [r for r in records if r["remote"] == host]
    types = [r["type"] for r in mine]
    assert types[0] == "meta" and types[-1] == "end", types
    times = [r["t"] for r in mine]
    assert times == sorted(times), "a host's records are not in the order of its clock"
    assert [r["text"] for r in mine if r["type"] == "print"] == [f"from {number}\n"], mine
    assert [r["value"] for r in mine if r["type"] == "value"] == [3]
    first, last = mine[0]["clock"], mine[-1]["clock"]
    offsets = [r["realtime"] - r["monotonic"] for r in (first, last)]
    assert abs(offsets[0] - offsets[1]) < 10**9 and 0 <= last["within"] < 10**9, (first, last)
    assert first["monotonic"] <= last["monotonic"] and first["realtime"] == mine[0]["started"], mine[0]
    assert abs(first["realtime"] - time.time_ns()) < 300 * 10**9, "the guest's clock is another one"
print("good")
END
)
expect 'records of two hosts' "$status:$judged" 0:good
for i in 0 1; do expect "nothing of records is left on host $i" "$(left $i)" ''; done

# --merge: each host has a load of its own size, which counts its calls by itself. No other shell has this name.
for i in 0 1; do
    on "$i" 'ln -sf /bin/busybox /tmp/ash; rm -f /tmp/told; cat >/tmp/load' 2>"$work/err" <<END
i=0 zeros=0 conts=0
while [ \$i -lt $((100 + 60 * i)) ]; do
    kill -0 \$\$ && zeros=\$((zeros + 1))
    kill -CONT \$\$ && conts=\$((conts + 1))
    [ \$((i % 2)) = 0 ] && kill -CONT \$\$ && conts=\$((conts + 1))
    i=\$((i + 1))
done
echo "\$zeros \$conts" >/tmp/told
END
done
merge() {
    "$bin/stap" "${remotes[@]}" "${fleet[@]}" --merge "$@" -c '/tmp/ash /tmp/load' -e '@profile("Kills", "calls")
@table(signals, "signal: number", "calls")
global n, t, h, calls
probe syscall.kill {
    if (execname() != "ash") next
    n++
    t <<< sig
    h <<< sig
    calls[sig]++
    @sample(stacks(), 1)
}
probe end {
    foreach (number in calls) @row(signals, number, calls[number])
    print(@hist_linear(h, 0, 20, 2))
    println("done")
}' </dev/null 2>"$work/err"
}
merge --format=json --record="$work/all.tapir" >"$work/merged"
status=$?
for i in 0 1; do on "$i" cat /tmp/told </dev/null; done >"$work/told" 2>&1
"$bin/stap-report" "$work/all.tapir" --format=folded --accept-partial >"$work/folded" 2>>"$work/err"
judged=$(python3 - "$work/merged" "$work/told" "$work/folded" <<'END' 2>&1
import json, sys

records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
told = [[int(word) for word in line.split()] for line in open(sys.argv[2], encoding="utf-8")]
assert told == [[100, 150], [160, 240]], told
zeros, conts = (sum(column) for column in zip(*told))
calls = zeros + conts
of = lambda kind, **members: [r for r in records if r["type"] == kind and all(r.get(k) == v for k, v in members.items())]
[n] = of("value", name="n")
assert (n["value"], n["hosts"]) == (calls, 2), n
[t] = of("value", name="t")
assert (t["count"], t["sum"], t["min"], t["max"], t["hosts"]) == (calls, 18 * conts, 0, 18, 2), t
rows = {r["row"]["signal"]: (r["row"]["calls"], r["hosts"]) for r in of("row", table="signals")}
assert rows == {0: (zeros, 2), 18: (conts, 2)}, rows
[h] = of("hist")
assert (h["count"], h["hosts"]) == (calls, 2) and {b[0]: b[2] for b in h["buckets"] if b[2]} == {0: zeros, 18: conts}, h
assert sum(r["count"] for r in of("sample")) == calls, "samples"
[line] = of("print")
assert (line["text"], line["hosts"]) == ("done\n", 2), line
[fleet] = of("fleet")
assert (fleet["hosts"], fleet["told"], fleet["failed"]) == (2, 2, 0), fleet
for host in of("host"):
    assert not host.get("problem") and not host.get("bad_lines") and host["whole"], host
    # The guests have their clocks from this machine.
    least, most = host["clock_ahead"]
    assert least <= most and least < 300 * 10**9 and most > -300 * 10**9, host
stacks = [line.rsplit(" ", 1) for line in open(sys.argv[3], encoding="utf-8") if not line.startswith("#")]
assert sum(int(number) for _, number in stacks) == calls, "the capture"
assert all("busybox" in stack for stack, _ in stacks), "stacks of another program"
print("good")
END
)
expect 'one report of two hosts: sums are what their loads counted' "$status:$judged" 0:good
merge --accept-partial -o "$work/kills.html" >"$work/out"
expect 'a report for people, and a picture' "$?:$(head -n 1 "$work/out"):$(grep -c '^n  *650  *2 ' "$work/out"):$(grep -qi '<html' "$work/kills.html" && echo html)" \
    '0:2 of 2 hosts in this report, none failed:1:html'
for i in 0 1; do expect "nothing of the report is left on host $i" "$(left $i)" ''; done

# start TIMES COMMAND...: runs it in the background, as process `run`, and waits until "begun" was printed so many times. The file is emptied
# first: the redirection may come after the first look at it.
start() {
    local times=$1
    shift
    : >"$work/out"
    "$@" </dev/null >"$work/out" 2>"$work/err" &
    run=$!
    patiently 300 eval '[ "$(grep -c begun "$work/out")" = "$times" ]'
}

# Ctrl-C: the end probes print.
start 2 "$bin/stap" "${remotes[@]}" "${fleet[@]}" -e 'global n probe kernel.function("vfs_read") { n++ } probe begin { println("begun") }
    probe end { println(n > 0 ? "counted" : "nothing") }'
for i in 0 1; do on "$i" 'cat /proc/modules >/dev/null' </dev/null; done
kill -INT "$run"
wait "$run"
expect 'SIGINT lets end probes run' "$?:$(sort "$work/out" | uniq -c | xargs)" '0:2 begun 2 counted'

mkdir "$work/sockets"
masters() { pgrep -f -- "ControlPath=$work/sockets.* -N "; }
tick=(env TMPDIR="$work/sockets" "$bin/stap" "${remotes[0]}" "${fleet[@]}" -e 'probe begin { println("begun") } probe timer.s(1) {}')

# It is killed.
start 1 "${tick[@]}"
kill -KILL "$run"
wait "$run" 2>/dev/null
patiently 30 eval '[ -z "$(left 0)" ]'
expect 'a host cleans up when stap was killed' "$(left 0)" ''
expect 'no connection is left, and no socket' "$(masters; find "$work/sockets" -type s)" ''

# The network is cut: the connection hangs, nothing is closed.
start 1 "${tick[@]}"
master=$(masters)
kill -STOP "$master"
sleep 15
expect 'a short silence ends nothing' "$(left 0 | grep -c 'tapir-\|^stap_')" 2
patiently 60 eval '[ -z "$(left 0)" ]'
expect 'a host cleans up when the network was cut' "$(left 0)" ''
kill -KILL "$master" "$run"
wait "$run" 2>/dev/null

# As docs/remote.md says, by hand.
(cd "$work" && "$bin/stap" -p4 -r "${releases[1]}" -m count -e 'probe begin { println(remote_id(), remote_uri()) exit() }') >/dev/null 2>"$work/err" </dev/null &&
    scp -q "${options[@]}" -P "${ports[1]}" "$work/count.ko" "$bin/staprun" root@127.0.0.1:/run/ 2>"$work/err"
answer=$(on 1 'cd /run && ./staprun -r 0:web1 count.ko; rm -f staprun count.ko' </dev/null 2>"$work/err")
expect 'by hand' "$answer" 0web1
expect 'nothing is left by hand' "$(left 1)" ''

# --- the same by a build server

# Prints the reason why no server can be tried; "" if one can.
no_server() {
    [ -x "$bin/stap-server" ] || { echo "there is no stap-server"; return; }
    local program
    for program in bwrap openssl curl python3; do command -v $program >/dev/null || { echo "there is no $program"; return; }; done
}
why=$(no_server)
if [ -n "$why" ]; then
    skipped=$((skipped + 1))
    echo "ok - by a build server # SKIP $why"
else
    # The server's own tests have their parts in a directory of their own.
    mkdir "$work/server" && chmod 755 "$work" "$work/server"
    cd "$work/server" || exit 1
    server=$bin/stap-server
    outer=$work work=$work/server
    make_authority
    make_access
    serve_programs
    # One kernel that is installed, if it is, and one as a host would upload it.
    start_server || give_up 'no build server'
    for i in 0 1; do
        tree=$("$bin/stap-vm" --kernel="${releases[i]}" --print-kernel --headers 2>/dev/null | sed -n 's/^build //p')
        if [[ $tree == /usr/src/* ]]; then
            "$server" --state="$work/state" --stap="$served" --add-kernel="${releases[i]}" >add.log 2>&1
        else
            (cd "${tree%/usr/src/*}" && tar -c usr/src/linux-headers-* usr/lib/linux-kbuild-* boot/vmlinuz-*) |
                curl -sSf --max-time 400 --cacert ca.pem --cert keeper.pem --key keeper.key -T - "$url/v1/kernels/${releases[i]}" >add.log 2>&1
        fi || { cat add.log; give_up "the server does not take kernel ${releases[i]}"; }
    done
    by_server=(--use-server="$url" --server-ca=ca.pem --server-token=token.secret)
    script="probe begin { printf(\"%d by the server for %s\\n\", remote_id(), %( kernel_vr == \"${releases[0]}\" %? \"${releases[0]}\" %: \"${releases[1]}\" %)) exit() }"
    "$bin/stap" "${remotes[@]}" "${fleet[@]}" "${by_server[@]}" -e "$script" </dev/null >"$outer/out" 2>"$outer/err"
    expect 'two kernels by a build server' "$?:$(sort "$outer/out")" "0:0 by the server for ${releases[0]}
1 by the server for ${releases[1]}"
    expect 'it was the server' "$(grep -c 'event=compile decision=allowed' audit.log)" 2
    # With nothing but curl and scp, as docs/server.md says.
    printf '{"script": "probe begin { println(\\"hello\\") exit() }", "kernel": {"release": "%s"}, "options": ["-m", "hello"]}' "${releases[0]}" >request.json
    curl -sS --max-time 200 --cacert ca.pem -H "Authorization: Bearer $(cat token.secret)" -H 'Accept: application/octet-stream' -o hello.ko --data @request.json "$url/v1/modules" 2>"$outer/err" &&
        scp -q "${options[@]}" -P "${ports[0]}" hello.ko "$bin/staprun" root@127.0.0.1:/run/ 2>>"$outer/err"
    answer=$(on 0 'cd /run && ./staprun hello.ko; rm -f staprun hello.ko' </dev/null 2>>"$outer/err")
    expect 'by curl and scp' "$answer" hello
    # The server ends: what it does not build does not run, and it is said.
    kill "$daemon"
    wait "$daemon" 2>/dev/null
    "$bin/stap" "${remotes[0]}" "${fleet[@]}" "${by_server[@]}" -e 'probe begin { println("never") exit() }' </dev/null >"$outer/out" 2>"$outer/err"
    expect 'without the server' "$?:$(cat "$outer/out"):$(grep -c "ERROR: The build server $url made no module" "$outer/err")" 1::1
    work=$outer
    for i in 0 1; do expect "the server leaves nothing on host $i" "$(left $i)" ''; done
fi

echo "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
