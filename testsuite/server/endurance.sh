# SPDX-License-Identifier: GPL-2.0-or-later
# Crowds, and ends of servers. Sourced by run.sh.

# long: clients that are slow
test_slow_clients_do_not_stop_others() {
    python3 "$here/slow_clients.py" "$port" 1000 600 >slow.log 2>&1 &
    local slow=$!
    patiently 30 grep -q ready slow.log || { cat slow.log; return 1; }
    equal "$(post tracer "$(request "$(unique beside)")")" 200
    # They were still there.
    kill "$slow"
    wait "$slow" || true
}

# long: another server begins
test_two_servers_share_results() {
    local text
    text=$(request "$(unique shared)")
    equal "$(post tracer "$text")" 200
    start_server
    equal "$(post tracer "$text")" 200
    equal "$(field cached)" True
}

# long: another server begins and ends
test_ends_gracefully() {
    local text
    start_server
    text=$(request "$(unique graceful)")
    printf %s "$text" >graceful.json
    # A request under way comes to an end; the port is closed at once.
    curl -sS --max-time 200 -N --cacert ca.pem --cert tracer.pem --key tracer.key -H 'Accept: application/x-ndjson' --data-binary @graceful.json -o graceful "$url/v1/modules" &
    local client=$!
    patiently 60 grep -qs '"compiling"' graceful
    kill -TERM "$daemon"
    patiently 10 eval '! curl -sS --cacert ca.pem -o /dev/null "$url/healthz"'
    wait "$client"
    wait "$daemon"
    tail -n 1 graceful >graceful.end
    has '"result":"module"' graceful.end
    has '"status":200' graceful.end
}

kill_compiling_server() { # SECONDS after a request
    local daemon url port
    start_server
    curl -sS --max-time 200 --cacert ca.pem --cert tracer.pem --key tracer.key --data-binary @killed.json -o /dev/null "$url/v1/modules" 2>/dev/null &
    sleep "$1"
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null || true
}

# long: servers are killed many times
test_killed_server_leaves_nothing_half() {
    local text i
    text=$(request "$(unique killed)")
    printf %s "$text" >killed.json
    for i in 1 2 3; do kill_compiling_server "0.0$((i * 3))"; done
    # No process of a compilation outlives its server.
    patiently 10 eval '! pgrep -f "$work/state/kernels/$release/cache"'
    equal "$(post tracer "$text")" 200
    valid BuildResult
    python3 -c 'import base64, hashlib, json
module = json.load(open("body"))["module"]
assert hashlib.sha256(base64.b64decode(module["data"])).hexdigest() == module["sha256"]'
}

test_policy_is_read_again() {
    cp policy.json policy.saved
    sed -i 's/"token": "ci", "roles": \["tracer"\]/"token": "ci", "roles": []/' policy.json
    kill -HUP "$daemon"
    patiently 10 answers 403 ask -H "Authorization: Bearer $(cat token.secret)" "$url/v1/kernels"
    # A file that cannot be used changes nothing.
    echo '{' >policy.json
    kill -HUP "$daemon"
    sleep 0.5
    equal "$(as tracer "$url/v1/kernels")" 200
    cp policy.saved policy.json
    kill -HUP "$daemon"
    patiently 10 answers 200 ask -H "Authorization: Bearer $(cat token.secret)" "$url/v1/kernels"
}

test_revocations_are_read_again() {
    certificate leaver -extensions client
    cp policy.json policy.saved
    cp crl.pem crl.saved
    sed -i 's/{"token": "ci"/{"certificate": "CN=leaver", "roles": ["tracer"]},\n        {"token": "ci"/' policy.json
    kill -HUP "$daemon"
    patiently 10 answers 200 as leaver "$url/v1/kernels"
    openssl ca -config ca.cnf -revoke leaver.pem 2>/dev/null
    openssl ca -config ca.cnf -gencrl -out crl.pem 2>/dev/null
    equal "$(as leaver "$url/v1/kernels")" 200
    kill -HUP "$daemon"
    patiently 10 answers 401 as leaver "$url/v1/kernels"
    refused unauthenticated
    has 'certificate revoked'
    equal "$(as tracer "$url/v1/kernels")" 200
    cp policy.saved policy.json
    kill -HUP "$daemon"
}

# add STATE WHAT...: by the program.
add() {
    local at=$1
    shift
    run_to_file add.log "$server" --state="$at" --stap="$served" "${@/#/--add-kernel=}" || { cat add.log; return 1; }
}

# long: a kernel is prepared
test_kernel_from_a_directory() {
    add "$work/of-directory" "$(realpath "/lib/modules/$release/build")"
    "$server" --state="$work/of-directory" --list-kernels >listed
    equal "$(cut -d' ' -f1 listed)" "$release"
    local state=$work/of-directory
    start_server
    equal "$(post tracer "$(request "$(unique directory)")")" 200
    fails add "$work/of-directory" "$work/sets"
    has 'there is no release of a kernel in it' add.log
}

# long: a kernel is prepared
test_kernel_from_packages() {
    local root=$work/package common name packages=()
    common=usr/src/linux-headers-${release%-*}-common
    [ -d "/usr/src/linux-headers-$release" ] || { echo "no packages of Debian's form"; return 1; }
    # As the kernel's packages are made up, of what is installed.
    for name in "usr/src/linux-headers-$release" "$common" $(cd / && ls -d usr/lib/linux-kbuild-*); do
        rm -rf "$root"
        mkdir -p "$root/DEBIAN" "$root/${name%/*}"
        cp -a "/$name" "$root/$name"
        printf 'Package: p%d\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: test\n' ${#packages[@]} >"$root/DEBIAN/control"
        dpkg-deb --root-owner-group -Znone --build "$root" "package${#packages[@]}.deb" >/dev/null
        packages+=("$work/package${#packages[@]}.deb")
    done
    chmod 644 ./package*.deb
    add "$work/of-packages" "${packages[@]}"
    local state=$work/of-packages
    start_server
    equal "$(post tracer "$(request "$(unique packages)")")" 200
    fails add "$work/of-packages" "${packages[1]}"
    has 'none of the packages has usr/src/linux-headers-RELEASE/.config' add.log
    rm -rf ./package* of-packages
}

# descendants PID: those that are there now.
descendants() {
    local child
    for child in $(pgrep -P "$1"); do echo "$child" && descendants "$child"; done
}

# descendant_named NAME: one of the server's.
descendant_named() {
    local pid
    for pid in $(descendants "$daemon"); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$1" ] || { echo "$pid"; return; }
    done
    return 1
}

# slow_script NAME: keeps the compiler busy for some seconds.
slow_script() {
    local i
    echo "probe begin { println(\"$1 $RANDOM$RANDOM\") }"
    for i in $(seq 300); do echo "probe begin { printf(\"%d %s %p $i\\n\", tid(), execname(), pid() * $i) }"; done
}

# One process of a compilation that ends is the end of that compilation only.
# long: another server begins
test_killed_compiler_is_said() {
    local program found client
    start_server
    for program in bwrap cc1; do
        request "$(slow_script "$program")" >slow.json
        : >slow.status
        curl -sS --max-time 200 --cacert ca.pem --cert tracer.pem --key tracer.key --data-binary @slow.json -w '%{http_code}\n' -o body "$url/v1/modules" >slow.status &
        client=$!
        patiently 6 eval 'found=$(descendant_named "$program")'
        kill -KILL "$found"
        wait "$client"
        equal "$(cat slow.status)" 422
        refused script-refused
        patiently 10 eval '[ -z "$(descendants "$daemon")" ]'
        # It is not remembered.
        printf %s "$(cat slow.json)" >request.json
        equal "$(as tracer --data-binary @request.json "$url/v1/modules")" 200
        equal "$(field cached)" False
    done
}

# long: a kernel is prepared
test_kernel_from_an_upload() {
    local real
    real=$(realpath "/lib/modules/$release/build")
    [ -d "/usr/src/linux-headers-$release" ] || { echo "no packages of Debian's form"; return 1; }
    tar -C / -cf headers.tar "${real#/}" $(cd / && ls -d "usr/src/linux-headers-${release%-*}-common" usr/lib/linux-kbuild-* 2>/dev/null)
    equal "$(as keeper -T headers.tar -H 'Expect:' --max-time 400 "$url/v1/kernels/$release")" 201
    valid KernelResult
    equal "$(field kernel.release)" "$release"
    equal "$(post tracer "$(request "$(unique upload)")")" 200
    equal "$(ls state/uploads)" ""
    # A file that is no archive changes nothing.
    echo nonsense >bad.tar
    equal "$(as keeper -T bad.tar "$url/v1/kernels/$release")" 422
    refused kernel-unusable
    equal "$(post tracer "$(request "$(unique upload)")")" 200
}

# A host's upload takes the place of the kernel in one step.
# long: a kernel is prepared many times
test_kernel_is_never_missing() {
    local real
    real=$(realpath "/lib/modules/$release/build")
    tar -C / -cf again.tar "${real#/}" $(cd / && ls -d "usr/src/linux-headers-${release%-*}-common" usr/lib/linux-kbuild-* 2>/dev/null)
    python3 - "state/kernels/$release/kernel.json" <<'EOF' >missing &
import os, sys, time
missing, seen, end = 0, set(), time.time() + 300
while time.time() < end and not os.path.exists("stop.looking"):
    try:
        seen.add(os.stat(sys.argv[1]).st_ino)
    except FileNotFoundError:
        missing += 1
print("missing", missing, "kernels", len(seen))
EOF
    local looking=$!
    equal "$(as keeper -T again.tar -H 'Expect:' --max-time 400 "$url/v1/kernels/$release")" 201
    touch stop.looking
    wait "$looking"
    rm stop.looking
    equal "$(cat missing)" 'missing 0 kernels 2'
    equal "$(ls -A state/kernels)" "$release"
}

# long: a kernel is prepared
test_bad_kernel_does_not_hold_up_the_others() {
    local state=$work/upgraded status
    other_state upgraded
    # By this version, but elsewhere.
    cp "state/kernels/$release/kernel.json" "upgraded/kernels/$release/"
    mkdir upgraded/kernels/0bad
    sed "s/\"release\": \"[^\"]*\"/\"release\": \"0bad\"/; s/\"which\": \"[^\"]*\"/\"which\": \"0bad\"/" "upgraded/kernels/$release/kernel.json" >upgraded/kernels/0bad/kernel.json
    chown -R --reference=state upgraded
    start_server
    is_prepared() { status=$(post tracer "$(request 'probe begin { println("upgraded") }')") && [ "$status" != 503 ]; }
    is_prepared || refused kernel-preparing
    patiently 90 is_prepared
    equal "$status" 200
    equal "$(post tracer "$(request 'probe begin {}' '{"kernel": {"release": "0bad"}}')")" 422
    refused kernel-unusable
    has 'it has to be added again'
}

# The server gives up a kernel that it prepares, and the next one removes leftovers of killed servers.
# long: a kernel is prepared
test_ends_while_a_kernel_is_prepared() {
    local state=$work/ended
    other_state ended
    mkdir -p ended/kernels/.new-left/cache ended/kernels/.old-1.2.3
    cp "ended/kernels/$release/kernel.json" ended/kernels/.old-1.2.3/
    echo half >ended/uploads/upload-left
    chown -R --reference=state ended
    start_server
    patiently 10 eval 'ls -d ended/kernels/.new-*/cache 2>/dev/null'
    kill "$daemon"
    wait "$daemon"
    equal "$(ls -A ended/kernels)" "1.2.3
$release"
    equal "$(ls ended/uploads)" ''
    has '"translator": "older"' "ended/kernels/$release/kernel.json"
}

# long: servers are killed
test_killed_server_leaves_no_upload() {
    local state=$work/uploading
    other_state uploading
    sed -i "s/\"translator\": \"[^\"]*\"/$(grep -o '"translator": "[^"]*"' "state/kernels/$release/kernel.json")/" "uploading/kernels/$release/kernel.json"
    start_server
    head -c 3000000 /dev/zero >long
    as keeper -T long -H 'Expect:' --limit-rate 200k "$url/v1/kernels/9.9.9" >/dev/null 2>&1 &
    patiently 10 eval '[ -n "$(ls uploading/uploads)" ]'
    # One that is still at work keeps what it has.
    (pids=() && start_server && end_processes)
    [ -n "$(ls uploading/uploads)" ]
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null || true
    [ -n "$(ls uploading/uploads)" ]
    start_server
    equal "$(ls uploading/uploads)" ''
    equal "$(post tracer "$(request "$(unique uploading)")")" 200
}
