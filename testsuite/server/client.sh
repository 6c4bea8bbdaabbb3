# SPDX-License-Identifier: GPL-2.0-or-later
# stap --use-server. Sourced by run.sh.

# stap_at NAME [option...]: as the client NAME; what it prints goes to `out` and `err`, its status is returned.
stap_at() {
    local name=$1
    shift
    run_stap --use-server="$url" --server-ca=ca.pem --server-certificate="$name.pem" --server-key="$name.key" "$@"
}
run_stap() { TAPIR_CLIENT_CONFIG=$work/client.conf "$bin/stap" "$@" >out 2>err </dev/null; }
# The same, and it fails.
no_settings() { : >client.conf; }
says() { equal "$(cat "$1")" "$2"; }

test_stap_builds_at_the_server() {
    no_settings
    stap_at tracer -r "$release" -p4 -m viaserver -e 'probe begin { println($1) exit() }' 42 || { cat err; return 1; }
    says out viaserver.ko
    says err ''
    equal "$(modinfo -F vermagic viaserver.ko | cut -d' ' -f1)" "$release"
    equal "$(sed -n 's/.*event=compile decision=allowed .* module="viaserver" sha256="\([0-9a-f]*\)".*/\1/p' audit.log)" "$(sha256sum viaserver.ko | cut -d' ' -f1)"
    # The signature lies where staprun looks for it.
    openssl cms -verify -in viaserver.ko.sig -inform DER -CAfile ca.pem -purpose any -binary -out manifest 2>err ||
        openssl cms -verify -in viaserver.ko.sig -inform PEM -CAfile ca.pem -purpose any -binary -out manifest 2>>err || { cat err; return 1; }
    has "$(sha256sum viaserver.ko | cut -d' ' -f1)" manifest
    # Without a name it is kept in the cache.
    stap_at tracer -r "$release" -p4 -e 'probe begin { exit() }'
    [ -s "$(cat out)" ]
    [ -s "$(cat out).sig" ]
}

test_stap_prints_what_it_prints_without_a_server() {
    no_settings
    printf 'global n\nprobe begin { n = 1; printf("%%d\\n", n) exit() }\n' >plain.stp
    printf 'probe begin { println(missing_function(1)) }\nprobe nosuchpoint { }\n' >wrong.stp
    printf 'probe begin { println(1 }\n' >broken.stp
    local script pass status
    for script in plain wrong broken; do
        for pass in 1 2 3; do
            status=0
            "$served" -r "$release" -p$pass $script.stp >out.here 2>err.here </dev/null || status=$?
            if stap_at tracer -r "$release" -p$pass $script.stp; then equal 0 $status; else equal 1 $status; fi
            cmp out out.here
            cmp err err.here || { cat err; return 1; }
        done
    done
}

# Values that are part of the module are sent, and the others are set here.
test_stap_sends_the_options_of_a_tool() {
    no_settings
    cat >tool.stp <<'END'
@option(f, "vfs_read", "text -- the function")
@option(min, 0, "-m: number in 0..9 -- a number")
probe kernel.function(f) { println(min) exit() }
END
    stap_at tracer -r "$release" -p2 tool.stp --f vfs_write -m 3 || { cat err; return 1; }
    has 'kernel.function("vfs_write")' out
    stap_at tracer -r "$release" -p4 tool.stp -m 1 || { cat err; return 1; }
    cp out first
    stap_at tracer -r "$release" -p4 tool.stp -m 2 || { cat err; return 1; }
    cmp out first
    fails stap_at tracer -r "$release" -p4 tool.stp -m 10
    has "Invalid value '10' for --min: it should be 0 to 9" err
    # A word that is required reaches the server as a value, too.
    printf '@option(where, "", "<POINT> points required -- the probe")\nprobe @where { exit() }\n' >word.stp
    stap_at tracer -r "$release" -p2 word.stp 'kernel.function("vfs_read")' || { cat err; return 1; }
    has 'kernel.function("vfs_read")' out
}

test_stap_says_what_the_server_refuses() {
    no_settings
    fails run_stap --use-server="$url" --server-ca=ca.pem -r "$release" -p4 -e 'probe begin { }'
    has "ERROR: The build server $url made no module: a client's certificate or a token is needed" err
    has 'say who you are with --server-certificate and --server-key, or with --server-token.' err
    fails stap_at tracer -r "$release" -p4 -g -e 'probe begin { }'
    has "the right 'guru' is needed" err
    fails stap_at tracer -r 9.9.9-none -p4 -e 'probe begin { }'
    has "can add the kernel ('stap-server --add-kernel')" err
    fails run_stap --use-server="$url" --server-token=token.secret -r "$release" -p4 -e 'probe begin { }'
    has '--server-ca names the certificate of the authority' err
    lacks "$(cat token.secret)" err
    # The name in the certificate is not this one.
    fails run_stap --use-server="127.0.0.2:$port" --server-ca=ca.pem --server-token=token.secret -r "$release" -p4 -e 'probe begin { }'
    has 'ERROR: The build server https://127.0.0.2' err
}

test_stap_sends_tapsets_and_settings_of_a_file() {
    printf 'url=%s\nca=%s/ca.pem\ncertificate=%s/engineer.pem\nkey=%s/engineer.key\n' "$url" "$work" "$work" "$work" >client.conf
    mkdir -p mine
    echo 'function answer:long() { return 42 }' >mine/answer.stp
    run_stap --use-server -r "$release" -I mine -p2 -e 'probe begin { println(answer()) }' || { cat err; return 1; }
    has answer out
    # These settings are for that server only.
    fails run_stap --use-server=localhost:1 -r "$release" -p1 -e 'probe begin { }'
    printf 'url=https://elsewhere\nca=%s/ca.pem\ntoken-file=%s/token.secret\n' "$work" "$work" >client.conf
    fails run_stap --use-server="$url" --server-ca=ca.pem -r "$release" -p1 -e 'probe begin { }'
    has 'a token is needed' err
    no_settings
}

test_stap_asks_again_when_the_server_comes_back() {
    no_settings
    local status=0
    start_server
    local again=$port
    kill "$daemon"
    wait "$daemon" || true
    : >err
    (cd "$work" && patiently 60 grep -q 'is asked again: ' err && listen=$again start_server && sleep 60) &
    local later=$!
    pids+=("$later")
    url=https://localhost:$again
    stap_at tracer -r "$release" -p4 -m comesback -e 'probe begin { exit() }' || status=$?
    cat err
    pkill -P "$later" || true
    kill "$later" 2>/dev/null || true
    equal "$status" 0
    has 'is asked again: ' err
    [ -s comesback.ko ]
}

test_stap_takes_nothing_half() {
    no_settings
    # Somebody in between cuts every answer short, or changes one character of the module.
    python3 "$here/bad_proxy.py" "$port" localhost.pem localhost.key ca.pem tracer.pem tracer.key >proxy.out 2>proxy.err &
    local proxy=$! bad
    pids+=("$proxy")
    patiently 10 grep -q '^ports' proxy.out
    read -r _ cut changed <proxy.out
    rm -f half.ko
    for bad in "$cut" "$changed"; do
        fails run_stap --use-server="localhost:$bad" --server-ca=ca.pem --server-token=token.secret -r "$release" -p4 -m half -e 'probe begin { exit() }'
        tail -n 3 err
        has "ERROR: The build server https://localhost:$bad made no module: " err
        [ ! -e half.ko ]
        [ ! -e half.ko.sig ]
    done
    has 'the module is damaged: it is not what size and hash say' err
    kill "$proxy"
}
