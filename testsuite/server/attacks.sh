# SPDX-License-Identifier: GPL-2.0-or-later
# Attackers get a clear refusal and a line in the log. Sourced by run.sh.
# Tags: TooSlow.

test_attack_no_credentials() {
    request 'probe begin {}' >request.json
    equal "$(ask --data-binary @request.json "$url/v1/modules")" 401
    refused unauthenticated
}

test_attack_wrong_token() {
    equal "$(ask -H 'Authorization: Bearer wrong' "$url/v1/kernels")" 401
    refused unauthenticated
    equal "$(ask -H "Authorization: Basic $(cat token.secret)" "$url/v1/kernels")" 401
}

test_attack_forged_certificate() {
    equal "$(as forged "$url/v1/kernels")" 401
    refused unauthenticated
}

test_attack_revoked_certificate() {
    equal "$(as revoked "$url/v1/kernels")" 401
    refused unauthenticated
    has 'certificate revoked'
    # Nor does a token help a revoked certificate.
    equal "$(as revoked -H "Authorization: Bearer $(cat token.secret)" "$url/v1/kernels")" 401
}

test_attack_client_without_a_role() {
    equal "$(as stranger "$url/v1/kernels")" 403
    refused forbidden
    equal "$(as keeper --data-binary '{}' "$url/v1/modules")" 403
    equal "$(as engineer -T /dev/null "$url/v1/kernels/6.1")" 403
    refused forbidden
    # Clients who may add kernels may not replace them.
    equal "$(as adder -T /dev/null "$url/v1/kernels/$release")" 403
    refused forbidden
    has "the right 'replace' is needed"
    equal "$(as adder -T /dev/null "$url/v1/kernels/9.9.9")" 422
    refused kernel-unusable
    tail -n 1 audit.log >audit.tail
    has 'event=kernel decision=refused' audit.tail
    has 'kernel="9.9.9"' audit.tail
}

test_attack_guru_without_the_right() {
    equal "$(post tracer "$(request 'probe begin { %{ %} }' '{"options": ["-g"]}')")" 403
    refused forbidden
    equal "$(post tracer "$(request 'probe begin { %{ %} }')")" 422
    # Nor is what a guru had compiled given to somebody else.
    equal "$(post engineer "$(request 'probe begin { %{ int guru; (void)guru; %} }' '{"options": ["-g"]}')")" 200
    equal "$(as tracer "$url$(field module.url)")" 403
    refused forbidden
}

# A macro could give any word of the module's code another meaning.
test_attack_macros_without_guru() {
    equal "$(post tracer "$(request 'probe begin { println(1) }' '{"options": ["-Dsizeof=__alignof__"]}')")" 400
    refused bad-request
    equal "$(post tracer "$(request 'probe begin { println(1) }' '{"options": ["-DMAXACTION=-1"]}')")" 400
    refused bad-request
    equal "$(post tracer "$(request 'probe begin { println(1) }' '{"options": ["-DMAXACTION=2000", "-DMAXSTRINGLEN=64"]}')")" 200
    equal "$(post engineer "$(request 'probe begin { println(3) }' '{"options": ["-g", "-DMINE=3"]}')")" 200
    # Nor does stap itself emit them.
    "$bin/stap" -r "$release" -p3 -Dsizeof=__alignof__ -e 'probe begin { println(1) }' >code
    has tapir.h code
    lacks 'define sizeof' code
    "$bin/stap" -r "$release" -p3 -g -DMINE=3 -e 'probe begin { println(1) }' >code
    has 'define MINE 3' code
}

# Arrays take the memory of the machines that the modules run on.
test_attack_large_arrays_without_guru() {
    equal "$(post tracer "$(request 'global a[5000000] probe begin { a[1] = 1; println(a[1]) }')")" 422
    refused script-refused
    has 'array size out of range (1 to 65536 without -g)'
    equal "$(post tracer "$(request 'global a[$1] probe begin { a[1] = 1; println(a[1]) }' '{"arguments": ["65537"]}')")" 422
    equal "$(post tracer "$(request 'global a[65536] probe begin { a[1] = 1; println(a[1]) }')")" 200
    equal "$(post engineer "$(request 'global a[5000000] probe begin { a[1] = 1; println(a[1]) }' '{"options": ["-g"]}')")" 200
}

test_attack_paths_in_names() {
    local path
    for path in /v1/modules/../../../etc/passwd /v1/modules/%2e%2e%2fetc /v1/modules/..sig; do
        equal "$(as tracer --path-as-is "$url$path")" 400
        refused bad-request
    done
    equal "$(as keeper --path-as-is -T /dev/null "$url/v1/kernels/../../x")" 400
    equal "$(post tracer "$(request 'probe begin {}' '{"kernel": {"release": "../../etc"}}')")" 400
    refused bad-request
    equal "$(post engineer "$(request 'probe begin {}' '{"tapsets": {"../x.stp": ""}}')")" 400
    equal "$(post tracer "$(request 'probe begin {}' '{"options": ["-I/etc"]}')")" 400
    refused option-refused
}

test_attack_huge_body() {
    # Refused at the header: nothing of it is read.
    local start=$SECONDS
    equal "$(as tracer -H 'Content-Length: 1073741824' -H 'Expect:' --data-binary '{' --max-time 20 "$url/v1/modules")" 413
    [ $((SECONDS - start)) -lt 10 ]
    refused too-large
    # Without a length it is refused once there is too much.
    head -c 8000000 /dev/zero >zeros
    equal "$(as tracer -H 'Transfer-Encoding: chunked' -H 'Expect:' --data-binary @zeros "$url/v1/modules")" 413
    refused too-large
    equal "$(ask "$url/healthz")" 200
}

# Where a body has no meaning the server takes none, with or without a length, and from no client.
test_attack_body_where_there_is_none() {
    equal "$(ask -X GET -H 'Content-Length: 1073741824' -H 'Expect:' --data-binary '{' --max-time 20 "$url/healthz")" 413
    refused too-large
    equal "$(ask -X GET -H 'Transfer-Encoding: chunked' -H 'Expect:' --data-binary '{' "$url/healthz")" 413
    refused too-large
}

# Extensions of chunks have no end, and are no part of the body: the server must not keep them.
test_attack_chunk_extension_without_end() {
    python3 - "$port" <<'EOF'
import socket, ssl, sys
context = ssl.create_default_context(cafile="ca.pem")
def answer_to(beginning, filler, count):
    with socket.create_connection(("localhost", int(sys.argv[1]))) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
        tls.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + beginning)
        tls.settimeout(20)
        try:
            for _ in range(count):
                tls.sendall(filler)
            return tls.recv(100)
        except (ConnectionError, ssl.SSLError):
            return None
header = b"A: " + b"b" * 1000 + b"\r\n"
for beginning, filler in ((b"1;", b"a" * 16384), (b"0\r\n", header * 16)):
    answer = answer_to(beginning, filler, 64)
    assert answer.startswith(b"HTTP/1.1 413 "), answer
    # Much more is not even read to its end.
    assert answer_to(beginning, filler, 65536) is None
EOF
    tail -n 5 audit.log >audit.tail
    has 'tag="too-large"' audit.tail
    equal "$(ask "$url/healthz")" 200
}

# A proxy may have read the body to another end, or the request for another host.
test_attack_two_meanings() {
    python3 - "$port" <<'EOF'
import socket, ssl, sys
context = ssl.create_default_context(cafile="ca.pem")
def answers_to(head):
    with socket.create_connection(("localhost", int(sys.argv[1]))) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
        tls.settimeout(20)
        tls.sendall(head + b"5\r\nhello\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        try:
            while part := tls.recv(10000):
                answer += part
        except (ConnectionError, ssl.SSLError):
            pass
        return answer
start = b"POST /v1/modules HTTP/1.1\r\n"
for fields in (b"Host: x\r\nTransfer-Encoding: xchunked\r\n", b"Host: x\r\nTransfer-Encoding: chunked, identity\r\n",
               b"Host: x\r\nTransfer-Encoding: gzip, chunked\r\n", b"Host: x\r\nTransfer-Encoding : chunked\r\n",
               b"Host: x\r\nTransfer-Encoding:\r\n chunked\r\n", b"Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
               b"Host: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n", b"Host: x\r\nContent-Length: +5\r\n",
               b"Host: x\r\nContent-Length: 5, 5\r\n", b"Host: x\r\nHost: y\r\n", b"", b"Host: x\nContent-Length: 5\r\n",
               b"Host: x\rContent-Length: 5\r\n", b"Host: x\r\nA: b\r\n\tContent-Length: 5\r\n"):
    answer = answers_to(start + fields + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1 ") == 1, (fields, answer)
EOF
    tail -n 2 audit.log >audit.tail
    has 'tag="bad-request"' audit.tail
    equal "$(ask "$url/healthz")" 200
}

# Small archives of much: nothing of them gets to the disk.
test_attack_archive_that_unpacks_to_too_much() {
    local what
    python3 - <<'EOF'
import gzip, tarfile
def header(name, size=0):
    entry = tarfile.TarInfo(name)
    entry.size = size
    return entry.tobuf(tarfile.GNU_FORMAT)
for name, bytes in (("size", header("usr/a", 4 << 30)), ("files", header("usr/a") * 200001), ("depth", header("a/" * 66 + "b"))):
    with gzip.open(name + ".tar.gz", "wb", 1) as out:
        out.write(bytes + b"\0" * 1024)
EOF
    for what in size files depth; do
        equal "$(as keeper -T $what.tar.gz -H 'Expect:' "$url/v1/kernels/9.9.9")" 413
        refused too-large
        has 'the archive unpacks to '
    done
    equal "$(ls state/uploads)" ""
    fails [ -e state/kernels/9.9.9 ]
}

test_attack_module_that_speaks_for_itself() {
    equal "$(post engineer "$(request $'%{\nMODULE_INFO(tapir_abi, "1");\n%}\nprobe begin { }' '{"options": ["-g"]}')")" 422
    refused script-refused
    has "'tapir_abi' is what the module says to staprun of itself"
    has ':2:13'
    # The translator does not see through everything.
    equal "$(post engineer "$(request $'%{\n#define X(t, v) MODULE_INFO(t, v)\nX(tapir_##abi, "1");\nX(vermagic, "mine");\n%}\nprobe begin { }' \
        '{"options": ["-g"]}')")" 422
    refused script-refused
}

# long: waits for the limits of time
test_attack_slow_body_and_header() {
    python3 - "$port" <<'EOF'
import socket, ssl, sys, time
context = ssl.create_default_context(cafile="ca.pem")
context.load_cert_chain("tracer.pem", "tracer.key")
def dripping(first):
    start = time.time()
    with socket.create_connection(("localhost", int(sys.argv[1]))) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
        tls.sendall(first)
        try:
            while time.time() - start < 30:
                tls.sendall(b" ")
                time.sleep(0.2)
        except OSError:
            pass
    return time.time() - start
assert dripping(b"POST /v1/modules HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n") < 20
assert dripping(b"POST /v1/mod") < 20
# A client that still listens gets the answer.
def answer_to(first):
    with socket.create_connection(("localhost", int(sys.argv[1]))) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
        tls.settimeout(20)
        tls.sendall(first)
        return tls.recv(100)
for first in b"POST /v1/modules HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", b"POST /v1/mod":
    answer = answer_to(first)
    assert answer.startswith(b"HTTP/1.1 408 "), answer
EOF
    tail -n 5 audit.log >audit.tail
    has 'the body did not come in time' audit.tail
    has 'the header did not come in time' audit.tail
}

test_attack_no_http() {
    printf 'nonsense\r\n\r\n' | openssl s_client -quiet -connect "localhost:$port" >answer 2>/dev/null || true
    has 'HTTP/1.1 400' answer
}

test_attack_old_tls() {
    fails curl -sS --cacert ca.pem --tls-max 1.1 "$url/healthz"
}

test_attack_files_of_the_server() {
    local include
    for include in '#include "/etc/shadow"' '#include "/etc/passwd"' "#include \"$work/signer.key\"" 'asm(".incbin \"/etc/passwd\"");' \
        'asm(".include \"/etc/shadow\"");'; do
        equal "$(post engineer "$(request "%{
$include
%}
probe begin { println(1) }" '{"options": ["-g"]}')")" 422
        refused script-refused
        lacks 'root:'
        lacks 'PRIVATE KEY'
    done
}

# Process 1 of the sandbox is not the server, and knows nothing of its environment.
test_attack_environment_of_the_server() {
    post engineer "$(request '%{
asm(".include \"/proc/1/environ\"");
%}
probe begin { println(1) }' '{"options": ["-g"]}')"
    lacks do-not-tell
    equal "$(field result)" module
}

# long: waits for the limits of time
test_attack_compilation_without_end() {
    "$server" --help >/dev/null
    start_server --time-limit=2
    # Sixteen levels of sixteen repetitions each keep the C preprocessor busy for years.
    local text='%{
#define A0(x) x x x x x x x x x x x x x x x x
' i
    for i in $(seq 16); do text+="#define A$i(x) A$((i - 1))(x) A$((i - 1))(x) A$((i - 1))(x) A$((i - 1))(x) A$((i - 1))(x) A$((i - 1))(x) A$((i - 1))(x) A$((i - 1))(x)
"; done
    text+='static int sum = 0 A16(+ 1);
%}
probe begin { println(1) }'
    equal "$(post engineer "$(request "$text" '{"options": ["-g"]}')")" 422
    refused time-limit
    # The server goes on.
    equal "$(post tracer "$(request "$(unique after)")")" 200
}

# long: fills the memory that a job may have
test_attack_compilation_needs_much_memory() {
    local text i
    start_server --memory-mb=256
    # A string of 2 GB for the compiler.
    text='%{
#define A0 "0123456789abcdef"
'
    for i in $(seq 27); do text+="#define A$i A$((i - 1)) A$((i - 1))
"; done
    text+='static const char large[] = A27;
%}
probe begin { println(1) }'
    equal "$(post engineer "$(request "$text" '{"options": ["-g"]}')")" 422
    # By the control group, or by the limit of the one process.
    grep -qE '"tag":"(memory-limit|script-refused)"' body
    equal "$(post tracer "$(request "$(unique after)")")" 200
}

test_attack_links_in_the_cache() {
    local text key entry
    text=$(request "$(unique links)")
    equal "$(post tracer "$text")" 200
    key=$(field key)
    entry=$(find state/results -name "$key")
    mv "$entry/result" "$work/elsewhere"
    ln -s "$work/elsewhere" "$entry/result"
    chmod 644 "$work/elsewhere"
    equal "$(as tracer "$url/v1/modules/$key")" 404
    refused not-found
    equal "$(post tracer "$text")" 200
    equal "$(field cached)" False
}

test_attack_damaged_cache() {
    local text key entry
    text=$(request "$(unique damaged)")
    equal "$(post tracer "$text")" 200
    key=$(field key)
    entry=$(find state/results -name "$key")
    printf x | dd of="$entry/result" bs=1 seek=2000 conv=notrunc 2>/dev/null
    equal "$(as tracer "$url/v1/modules/$key")" 404
    equal "$(post tracer "$text")" 200
}

test_attack_log_lines_cannot_be_forged() {
    local before
    before=$(wc -l <audit.log)
    as tracer --path-as-is "$url/v1/modules/%0adecision=allowed" >/dev/null
    equal "$(wc -l <audit.log)" $((before + 1))
}

# No script is known that makes the compiler start processes without end; here the translator does, for one script. Their number is bounded, should the limit not hold.
# long: makes as many processes as a job may have
test_attack_compilation_makes_many_processes() {
    local state=$work/many i status
    other_state many
    mkdir -p translator
    chmod 755 translator
    cat >translator/stap <<EOF
#!/bin/sh
! grep -qs many_processes script.stp || { for i in \$(seq 100); do sleep 30 & done; echo all; exit; }
# Where it finds its parts, should it be an installed one.
mkdir -p /tmp/bin /tmp/share && ln -sfn $work/share/tapir /tmp/share/tapir &&
    tail -c $(stat -Lc %s "$served") "\$0" >/tmp/bin/stap && chmod 700 /tmp/bin/stap && exec /tmp/bin/stap "\$@"
EOF
    cat "$served" >>translator/stap
    chmod 755 translator/stap
    translator=$work/translator/stap start_server --processes=24
    is_prepared() { status=$(post tracer "$(request "$(unique ordinary)")") && [ "$status" != 503 ]; }
    patiently 120 is_prepared
    equal "$status" 200
    equal "$(post tracer "$(request 'probe begin { println("many_processes") }')")" 422
    refused script-refused
    has 'Cannot fork'
    tail -n 1 audit.log >audit.tail
    has "kernel=\"$release\"" audit.tail
    equal "$(descendants "$daemon")" ''
    equal "$(post tracer "$(request "$(unique after)")")" 200
}
