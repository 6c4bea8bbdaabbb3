# SPDX-License-Identifier: GPL-2.0-or-later
# Each setting of a server has the effect that it says, from the outside. Sourced by run.sh.

# padded BYTES: a request of that size. Spaces after its JSON mean nothing.
padded() {
    local text
    text=$(request 'probe begin { println("padded") }' '{"options": ["-p1"]}')
    printf '%s%*s' "$text" $(($1 - ${#text})) '' >request.json
    equal "$(stat -c %s request.json)" "$1"
}

# post_padded BYTES [curl option...]
post_padded() {
    padded "$1"
    as tracer -H 'Content-Type: application/json' -H 'Expect:' --data-binary @request.json "${@:2}" "$url/v1/modules"
}

# long: another server begins
test_setting_body_mb() {
    start_server --body-mb=1
    equal "$(post_padded 1048576)" 200
    equal "$(post_padded 1048577)" 413
    refused too-large
    has 'the body has more than 1048576 bytes'
    # Without a length, too.
    equal "$(post_padded 1048576 -H 'Transfer-Encoding: chunked')" 200
    equal "$(post_padded 1048577 -H 'Transfer-Encoding: chunked')" 413
    refused too-large
}

upload() { as keeper -T "$1" -H 'Expect:' "$url/v1/kernels/9.9.9"; } # FILE

# Archives that are taken have no kernel in them: another refusal.
# long: another server begins
test_setting_upload_mb_and_unpacked_mb() {
    start_server --upload-mb=2 --unpacked-mb=3
    head -c 2097152 /dev/zero >two
    equal "$(upload two)" 422
    refused kernel-unusable
    head -c 2097153 /dev/zero >more
    equal "$(upload more)" 413
    refused too-large
    has 'the body has more than 2097152 bytes'
    mkdir -p unpacked
    head -c 3145728 /dev/zero >unpacked/file
    tar -czf three.tar.gz unpacked/file
    equal "$(upload three.tar.gz)" 422
    refused kernel-unusable
    echo >>unpacked/file
    tar -czf over.tar.gz unpacked/file
    equal "$(upload over.tar.gz)" 413
    refused too-large
    has 'the archive unpacks to more than 3 MB (--unpacked-mb)'
}

# large NAME: a request for a text of more than 300,000 bytes, the result of pass 1.
large() {
    python3 - "$1" "$release" <<'EOF'
import json, sys
line = 'probe begin { println("%s%%d%s") }\n' % (sys.argv[1], "x" * 200)
print(json.dumps({"script": "".join(line % i for i in range(1400)), "kernel": {"release": sys.argv[2]}, "options": ["-p1"]}))
EOF
}

# kept_is VALUE NAME: whether the result was kept.
kept_is() {
    large "$2" >request.json
    equal "$(as tracer --data-binary @request.json "$url/v1/modules")" 200
    [ "$(stat -c %s body)" -gt 300000 ]
    equal "$(field cached)" "$1"
}

# long: another server begins
test_setting_cache_mb() {
    local state=$work/small name
    other_state small
    # By this version: nothing has to be prepared.
    sed -i "s/\"translator\": \"[^\"]*\"/$(grep -o '"translator": "[^"]*"' "state/kernels/$release/kernel.json")/" "small/kernels/$release/kernel.json"
    start_server --cache-mb=1
    for name in one two; do kept_is False $name; done
    kept_is True one
    # There is no room for four of them, and the one that was not used for longest goes.
    for name in three four; do kept_is False $name; done
    kept_is True four
    kept_is False two
    [ "$(find small/results -name result -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" -le 1048576 ]
}

# hold: a request of the client tracer, whose translator stands still. Sets `held`, the translator, and `holder`, the client, which
# writes to `held.body`.
hold() {
    request "$(slow_script held)" >held.json
    curl -sS --max-time $((200 * patience)) --cacert ca.pem --cert tracer.pem --key tracer.key --data-binary @held.json -o held.body "$url/v1/modules" &
    holder=$!
    patiently 30 eval 'held=$(descendant_named stap)'
    kill -STOP "$held"
}

# wait_as NAME: a request of that client, which is not answered as long as another is held.
wait_as() {
    request "$(unique "$1")" >"waits.$1"
    curl -sS --max-time $((200 * patience)) --cacert ca.pem --cert "$1.pem" --key "$1.key" --data-binary "@waits.$1" -o /dev/null "$url/v1/modules" &
}

# long: another server begins
test_setting_queue_and_queue_per_client() {
    start_server --jobs=1 --queue=2 --queue-per-client=1 --grace=0
    hold
    wait_as tracer
    patiently 30 eval '[ "$(counted tapir_jobs_queued)" = 1 ]'
    equal "$(post tracer "$(request "$(unique second)")")" 503
    refused queue-full
    has 'there are 1 requests of yours that wait already'
    wait_as engineer
    patiently 30 eval '[ "$(counted tapir_jobs_queued)" = 2 ]'
    request "$(unique third)" >request.json
    equal "$(ask -H "Authorization: Bearer $(cat token.secret)" --data-binary @request.json "$url/v1/modules")" 503
    refused queue-full
    has 'there is too much to do'
    equal "$(counted tapir_jobs_queued)" 2
}

# A server that waits answers the request, which goes on once the port is closed.
# long: another server begins and ends
test_setting_grace() {
    start_server --grace=0
    hold
    kill -TERM "$daemon"
    patiently 30 eval '! curl -sS --cacert ca.pem -o /dev/null "$url/healthz"'
    kill -CONT "$held" || true
    fails wait "$holder"
    fails [ -s held.body ]
    wait "$daemon"
}

# long: another server begins
test_setting_connections() {
    start_server --connections=2
    python3 - "$port" <<'EOF'
import socket, ssl, sys
context = ssl.create_default_context(cafile="ca.pem")
def connect():
    plain = socket.create_connection(("localhost", int(sys.argv[1])))
    plain.settimeout(60)
    try:
        connection = context.wrap_socket(plain, server_hostname="localhost")
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection if b" 200 " in connection.recv(1000) else None
    except (OSError, ssl.SSLError):
        return None
held = [connect() for _ in range(4)]
assert [connection is not None for connection in held] == [True, True, False, False], held
EOF
    patiently 30 answers 200 ask "$url/healthz"
}

# signatures_of NAME: the module of the last answer without the kernel's signature, as NAME.unsigned; that signature, as NAME.p7s; and
# staprun's manifest.
signatures_of() {
    python3 - "$1" <<'EOF'
import base64, json, struct, sys
module = json.load(open("body"))["module"]
image = base64.b64decode(module["data"])
open(sys.argv[1] + ".ko", "wb").write(image)
open(sys.argv[1] + ".sig", "wb").write(base64.b64decode(module["signature"]))
# As include/linux/module_signature.h has it.
mark = b"~Module signature appended~\n"
assert image.endswith(mark)
end = len(image) - len(mark) - 12
size = struct.unpack(">I", image[end + 8:end + 12])[0]
open(sys.argv[1] + ".p7s", "wb").write(image[end - size:end])
open(sys.argv[1] + ".unsigned", "wb").write(image[:end - size])
EOF
    openssl cms -verify -in "$1.sig" -inform DER -CAfile ca.pem -purpose any -binary -out "$1.manifest" 2>err ||
        openssl cms -verify -in "$1.sig" -inform PEM -CAfile ca.pem -purpose any -binary -out "$1.manifest" 2>>err || { cat err; return 1; }
}

# encrypt KEY: with the passphrase of the file `passphrase`, as encrypted.KEY.
encrypt() {
    openssl pkcs8 -topk8 -in "$1" -passout file:passphrase -out "encrypted.$1"
    chmod 600 "encrypted.$1"
}

# long: other servers begin
test_setting_signatures() {
    local signer=encrypted.signer.key
    openssl req -x509 -newkey rsa:2048 -nodes -keyout mok.key -out mok.pem -days 2 -subj /CN=Machine-owner 2>/dev/null
    (umask 077 && echo 'open sesame' >passphrase)
    encrypt signer.key
    encrypt mok.key
    local kernel=(--kernel-sign-key=encrypted.mok.key --kernel-sign-certificate=mok.pem --kernel-sign-digest=sha384)
    fails start_server "${kernel[@]}"
    has 'has a passphrase' server.err
    start_server "${kernel[@]}" --sign-passphrase-file=passphrase --sign-days=7
    equal "$(post tracer "$(request "$(unique signatures)")")" 200
    signatures_of signatures
    openssl cms -verify -binary -inform DER -in signatures.p7s -content signatures.unsigned -certfile mok.pem -noverify -out /dev/null 2>err || { cat err; return 1; }
    openssl cms -cmsout -print -noout -inform DER -in signatures.p7s >printed
    has 'algorithm: sha384 (' printed
    lacks 'algorithm: sha256 (' printed
    has 'Machine-owner' printed
    equal "$(modinfo -F sig_hashalgo signatures.ko)" sha384
    # The server's five minutes for clocks that differ, and the days.
    python3 - signatures.manifest <<'EOF'
import datetime, re, sys
text = open(sys.argv[1]).read()
begin, end = (datetime.datetime.strptime(re.search(name + r"\W+(\S+Z)$", text, re.M)[1], "%Y-%m-%dT%H:%M:%SZ") for name in ("not-before", "not-after"))
assert end - begin == datetime.timedelta(days=7, minutes=5), text
EOF
}
