# SPDX-License-Identifier: GPL-2.0-or-later
# The results that clients get. Sourced by run.sh.
# Tags: ScriptRefused.

unique() { echo "probe begin { println(\"$1 $RANDOM$RANDOM\") exit() }"; }

test_healthz_needs_no_credentials() {
    equal "$(ask "$url/healthz")" 200
    equal "$(field status)" ok
    valid Health
}

test_module_is_whole_and_signed() {
    equal "$(post tracer "$(request "$(unique whole)")")" 200
    valid BuildResult
    equal "$(field result)" module
    equal "$(field cached)" False
    python3 - <<'EOF'
import base64, hashlib, json
module = json.load(open("body"))["module"]
data = base64.b64decode(module["data"])
assert hashlib.sha256(data).hexdigest() == module["sha256"] and len(data) == module["size"] and data[:4] == b"\x7fELF"
open(module["name"] + ".ko", "wb").write(data)
open("module.ko", "wb").write(data)
open("module.ko.sig", "wb").write(base64.b64decode(module["signature"]))
EOF
    openssl cms -verify -in module.ko.sig -inform DER -CAfile ca.pem -purpose any -binary -out manifest 2>err ||
        openssl cms -verify -in module.ko.sig -inform PEM -CAfile ca.pem -purpose any -binary -out manifest 2>>err || { cat err; return 1; }
    has "$(field module.sha256)" manifest
    has "certificate:CN=tracer" manifest
    # The same bytes by their name.
    local path
    path=$(field module.url)
    equal "$(as tracer "$url$path")" 200
    cmp body module.ko
    equal "$(as tracer "$url$path.sig")" 200
}

test_token_is_as_good_as_a_certificate() {
    request "$(unique token)" >request.json
    equal "$(ask -H "Authorization: Bearer $(cat token.secret)" --data-binary @request.json "$url/v1/modules")" 200
    tail -n 1 audit.log >audit.tail
    has 'client="token:ci"' audit.tail
    lacks "$(cat token.secret)" audit.log
}

test_same_request_is_found() {
    local text
    text=$(request "$(unique same)")
    equal "$(post tracer "$text")" 200
    local first
    first=$(field module.sha256)
    equal "$(post engineer "$text")" 200
    equal "$(field cached)" True
    equal "$(field module.sha256)" "$first"
}

test_bytes_if_these_are_accepted() {
    equal "$(post tracer "$(request "$(unique bytes)" '{"options": ["-m", "my_module"]}')" -H 'Accept: application/octet-stream' -D headers)" 200
    has "X-Tapir-Name: my_module" headers
    equal "$(head -c 4 body | tail -c 3)" ELF
}

test_progress_as_it_comes() {
    local text
    text=$(request "$(unique progress)" '{"options": ["-v"]}')
    equal "$(post tracer "$text" -H 'Accept: application/x-ndjson')" 200
    valid Event
    has '"text":"compiling"'
    has 'Pass 1: parsed'
    tail -n 1 body >last
    has '"event":"end"' last
    has '"result":"module"' last
    # A result from the cache is one event.
    equal "$(post tracer "$text" -H 'Accept: application/x-ndjson' -D headers)" 200
    valid Event
    has 'application/x-ndjson' headers
    equal "$(wc -l <body)" 1
    has '"event":"end"'
    equal "$(field cached)" True
}

test_diagnostics_are_whole() {
    equal "$(post tracer "$(request 'probe begin { x = nothere() }' '{"name": "mine.stp"}')")" 422
    refused script-refused
    has 'mine.stp:1'
    has 'nothere'
}

test_passes_1_to_3_give_text() {
    equal "$(post tracer "$(request 'probe begin { println("text") }' '{"options": ["-p1"]}')")" 200
    valid BuildResult
    has 'probe begin'
    equal "$(field result)" text
}

test_arguments_and_options_reach_the_script() {
    equal "$(post tracer "$(request 'probe begin { printf("%s %d\n", @1, N) }
global N' '{"arguments": ["--vm"], "options": ["-p1"]}')")" 200
    has '\"--vm\"'
}

test_sets_of_tapsets() {
    equal "$(post engineer "$(request 'probe begin { println(from_set()) }' '{"tapset_sets": ["net"]}')")" 200
    equal "$(post tracer "$(request 'probe begin { println(from_set()) }' '{"tapset_sets": ["net"]}')")" 403
    refused forbidden
    equal "$(post engineer "$(request 'probe begin { }' '{"tapset_sets": ["none"]}')")" 404
    refused tapsets-unknown
}

test_tapsets_of_ones_own() {
    local tapset='{"tapsets": {"own.stp": "function own() { return 1 }"}}'
    equal "$(post engineer "$(request 'probe begin { println(own()) }' "$tapset")")" 200
    equal "$(post tracer "$(request 'probe begin { println(own()) }' "$tapset")")" 403
    refused forbidden
}

test_kernels_are_listed() {
    equal "$(as tracer "$url/v1/kernels")" 200
    valid KernelList
    has "\"release\":\"$release\""
}

test_metrics_are_counted() {
    equal "$(as tracer "$url/metrics")" 200
    grep -qE '^tapir_compiled_total [1-9]' body
    grep -qE '^tapir_requests_total\{status="2xx"\} [1-9]' body
    equal "$(ask "$url/metrics")" 401
}

# long: another server begins
test_kernel_of_another_build_is_refused() {
    equal "$(post tracer "$(request 'probe begin {}' "{\"kernel\": {\"release\": \"$release\", \"vermagic\": \"other\"}}")")" 409
    refused kernel-mismatch
    equal "$(post tracer "$(request 'probe begin {}' '{"kernel": {"release": "1.2.3-none"}}')")" 404
    refused kernel-unknown
    equal "$(post tracer "$(request 'probe begin {}' '{"arch": "riscv64"}')")" 409
    # A build-id of a kernel whose headers alone are here, and one that is another.
    local state=$work/identified kept
    other_state identified
    kept=$(grep -o '"translator": "[^"]*"' "state/kernels/$release/kernel.json")
    sed -i "s/\"translator\": \"[^\"]*\"/$kept/; s/\"build_id\": \"[^\"]*\"/\"build_id\": \"\"/" "identified/kernels/$release/kernel.json"
    start_server
    equal "$(post tracer "$(request 'probe begin {}' "{\"kernel\": {\"release\": \"$release\", \"build_id\": \"abcd\"}}")")" 200
    sed -i 's/"build_id": ""/"build_id": "0123"/' "identified/kernels/$release/kernel.json"
    equal "$(post tracer "$(request 'probe begin {}' "{\"kernel\": {\"release\": \"$release\", \"build_id\": \"abcd\"}}")")" 409
    refused kernel-mismatch
    has "is '0123' here, not 'abcd'"
    equal "$(post tracer "$(request 'probe begin {}' "{\"kernel\": {\"release\": \"$release\", \"build_id\": \"0123\"}}")")" 200
}

# The build-id is read from the image that the kernel was added with.
# long: another server begins
test_kernel_of_which_the_image_is_there() {
    local tree=tree real id
    real=$(realpath "/lib/modules/$release/build")
    mkdir tree
    cp -as "$real/." tree/ 2>/dev/null
    rm -f tree/vmlinux
    python3 - tree/vmlinux <<'EOF'
import struct, sys
# An ELF file of one section, a note with a build-id.
note = struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(20))
names = b"\0.notes\0.shstrtab\0"
def section(name, kind, at, size): return struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, at, size, 0, 0, 4, 0)
head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, 64 + len(note) + len(names), 0, 64, 0, 0, 64, 3, 2)
open(sys.argv[1], "wb").write(head + note + names + bytes(64) + section(1, 7, 64, len(note)) + section(8, 3, 64 + len(note), len(names)))
EOF
    id=$(python3 -c 'print(bytes(range(20)).hex())')
    equal "$(TAPIR_CACHE_DIR=$work/idcache "$bin/stap" --prepare -v -r "$work/tree" 2>err | sed -n 's/^build-id //p')" "$id"
}

test_identical_requests_compile_once() {
    local text before after i
    text=$(request "$(unique once)")
    printf %s "$text" >once.json
    as tracer "$url/metrics" >/dev/null
    before=$(sed -n 's/^tapir_compiled_total //p' body)
    for i in $(seq 8); do
        curl -sS --max-time 200 --cacert ca.pem --cert tracer.pem --key tracer.key --data-binary @once.json -o "once.$i" "$url/v1/modules" &
        once[i]=$!
    done
    wait "${once[@]}"
    as tracer "$url/metrics" >/dev/null
    after=$(sed -n 's/^tapir_compiled_total //p' body)
    equal $((after - before)) 1
    for i in $(seq 8); do has '"result":"module"' "once.$i"; done
}

# counted NAME: the value of a metric.
counted() {
    as tracer "$url/metrics" >/dev/null
    sed -n "s/^$1 //p" body
}

test_request_survives_its_client() {
    local text before i
    text=$(request "$(unique survives)")
    before=$(counted tapir_compiled_total)
    # Gone as soon as the request is under way.
    python3 - "$port" "$text" <<'EOF'
import socket, ssl, sys
context = ssl.create_default_context(cafile="ca.pem")
context.load_cert_chain("tracer.pem", "tracer.key")
body = sys.argv[2].encode()
with socket.create_connection(("localhost", int(sys.argv[1]))) as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
    tls.sendall(b"POST /v1/modules HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    tls.settimeout(60)
    seen = b""
    while b'"compiling"' not in seen: seen += tls.recv(1000)
EOF
    patiently 30 eval '[ "$(counted tapir_compiled_total)" != "$before" ]'
    equal "$(counted tapir_compiled_total)" $((before + 1))
    equal "$(post tracer "$text")" 200
    equal "$(field cached)" True
    equal "$(counted tapir_compiled_total)" $((before + 1))
}

# The log may be where only root can write, and the server has become somebody else.
# long: another server begins
test_log_is_written_where_only_root_can() {
    mkdir -m 700 rootslog
    local audit=$work/rootslog/audit.log
    start_server
    equal "$(ask "$url/v1/kernels")" 401
    has 'tag="unauthenticated"' "$audit"
    # Moved away: what can be opened anew is, else the lines go on to the file that is open.
    mv "$audit" "$audit.1"
    kill -HUP "$daemon"
    sleep 0.5
    equal "$(ask "$url/v1/elsewhere")" 401
    grep -qF 'target="/v1/elsewhere"' rootslog/audit.log rootslog/audit.log.1
    kill "$daemon"
    wait "$daemon"
    audit=$work/nowhere/audit.log
    fails start_server
    has 'nowhere/audit.log: No such file or directory (--audit-log)' server.err
}

# A balancer names the client: it is the client that is counted, and that the log has.
test_balancer_names_the_client() {
    per_address=3 start_server --balancer=127.0.0.1 --balancer=::1
    python3 - "$port" <<'EOF'
import socket, ssl, struct, sys
context = ssl.create_default_context(cafile="ca.pem")
def one(address): return f"PROXY TCP4 {address} 127.0.0.1 4711 8443\r\n".encode()
def two(address): return b"\r\n\r\n\0\r\nQUIT\n\x21\x11" + struct.pack(">H", 15) + socket.inet_aton(address) + socket.inet_aton("127.0.0.1") + b"\x12\x67\x20\xfb\x04\0\0"
def connect(header):
    plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    plain.settimeout(20)
    for byte in range(0, len(header), 7): plain.sendall(header[byte:byte + 7])
    try:
        return context.wrap_socket(plain, server_hostname="localhost")
    except (OSError, ssl.SSLError):
        return None
def get(connection, path):
    connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    return connection.recv(1000)
held = [connect(header("10.0.0.7")) for header in (one, two, one)]
for connection in held: assert b" 200 " in get(connection, b"/healthz")
assert connect(two("10.0.0.7")) is None  # too many
other = connect(two("10.0.0.8"))
assert b" 401 " in get(other, b"/v1/of-the-client")
for header in b"PROXY UNKNOWN\r\n", b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0":
    own = [connect(header) for _ in range(5)]  # the balancer's own are not limited
    for connection in own: assert b" 200 " in get(connection, b"/healthz")
held[0].close()
assert connect(b"PROXY TCP4 none nowhere 1 2\r\n") is None
assert connect(b"") is None
EOF
    grep -F 'target="/v1/of-the-client"' audit.log >audit.tail
    has 'peer="10.0.0.8"' audit.tail
    equal "$(grep -c 'the balancer did not name the client in the PROXY protocol' audit.log)" 2
    # No other address may name clients.
    per_address=3 start_server --balancer=192.0.2.1
    fails curl -sS --cacert ca.pem --haproxy-protocol "$url/healthz"
    equal "$(ask "$url/healthz")" 200
}
