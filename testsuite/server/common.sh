# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the tests of the server share. Sourced by run.sh.

# Prints why no server can be tried here, if none can.
why_not() {
    local program
    for program in curl openssl bwrap python3; do
        command -v "$program" >/dev/null || { echo "there is no $program"; return; }
    done
    python3 -c 'import jsonschema' 2>/dev/null || { echo "there is no python3-jsonschema"; return; }
    [ -x "$server" ] || { echo "$server is not built"; return; }
    [ -e "/lib/modules/$release/build" ] || echo "there are no headers of $release"
}

run_to_file() { # FILE COMMAND...
    local file=$1
    shift
    "$@" >"$file" 2>&1
}

# end_processes [PID...]: ends these, and those in `pids`; kills children of this shell that do not end.
end_processes() {
    local processes=("${pids[@]}" "$@")
    [ ${#processes[@]} -eq 0 ] || kill "${processes[@]}" 2>/dev/null || true
    patiently 30 eval '[ -z "$(jobs -rp)" ]' >/dev/null || true
    # shellcheck disable=SC2046 # a list of numbers
    [ -z "$(jobs -rp)" ] || kill -KILL $(jobs -rp) 2>/dev/null || true
    wait 2>/dev/null || true
}

# certificate NAME [openssl option...]: NAME.pem and NAME.key, signed by the authority.
certificate() {
    local name=$1
    shift
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$name.key" -out "$name.csr" -subj "/CN=$name" 2>/dev/null
    openssl ca -batch -config ca.cnf -in "$name.csr" -out "$name.pem" -notext "$@" 2>/dev/null
}

make_authority() {
    : >index.txt
    echo 01 >serial
    echo 01 >crlnumber
    cat >ca.cnf <<EOF
[ca]
default_ca = here
[here]
database = index.txt
serial = serial
crlnumber = crlnumber
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
default_days = 2
default_crl_days = 2
policy = any
unique_subject = no
[any]
commonName = supplied
[server]
subjectAltName = DNS:localhost,IP:127.0.0.1
extendedKeyUsage = serverAuth
[client]
extendedKeyUsage = clientAuth
[signer]
extendedKeyUsage = codeSigning
keyUsage = critical,digitalSignature
basicConstraints = critical,CA:FALSE
EOF
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=Authority \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
    certificate localhost -extensions server
    certificate signer -extensions signer
    local name
    for name in tracer engineer adder keeper debugger stranger revoked; do certificate "$name" -extensions client; done
    openssl ca -config ca.cnf -revoke revoked.pem 2>/dev/null
    openssl ca -config ca.cnf -gencrl -out crl.pem 2>/dev/null
    # One that another authority has signed.
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout forged.key -out forged.pem -days 2 -subj /CN=engineer 2>/dev/null
}

make_access() {
    "$server" --new-token=ci >token
    sed -n 1p token >token.secret
    sed -n 2p token >tokens
    mkdir -p sets/net
    echo 'function from_set() { return 42 }' >sets/net/set.stp
    cat >policy.json <<EOF
{
    "roles": {
        "tracer": {"compile": true},
        "engineer": {"compile": true, "guru": true, "tapsets": ["*"]},
        "adder": {"admin": true},
        "keeper": {"admin": true, "replace": true},
        "debugger": {"debug": true}
    },
    "clients": [
        {"token": "ci", "roles": ["tracer"]},
        {"certificate": "CN=tracer", "roles": ["tracer"]},
        {"certificate": "CN=engineer", "roles": ["engineer"]},
        {"certificate": "CN=adder", "roles": ["adder"]},
        {"certificate": "CN=keeper", "roles": ["keeper"]},
        {"certificate": "CN=debugger", "roles": ["debugger"]},
        {"certificate": "CN=revoked", "roles": ["engineer"]}
    ]
}
EOF
    chmod -R a+rX policy.json tokens ca.pem crl.pem sets
    chmod 600 localhost.key signer.key
    # The server writes there, and it is not root.
    : >audit.log
    chmod 666 audit.log
}

# Sets `served`, the translator that servers run. They do so as another user, who may not see this tree where it is, below root's own
# folder, say: then it is an installed one.
serve_programs() {
    served=$bin/stap
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$served" 2>/dev/null && return
    local part
    for part in translator tapsets; do
        cmake --install "$bin/.." --prefix "$work/usr" --component $part >install.log 2>&1 || { cat install.log; return 1; }
    done
    chmod -R a+rX usr
    ln -s usr/share share
    served=$work/usr/bin/stap
}

# start_server [option...]: sets `url`, `port` and `daemon`, for the rest of the test. With the port $listen, the state $state, the log $audit,
# the translator $translator and the signer's key $signer if set.
start_server() {
    local limit=(--time-limit=$((60 * patience)))
    [[ " $*" != *' --time-limit='* ]] || limit=()
    # The first reader must not find the output of another server.
    : >server.out
    "$server" --state="${state:-$work/state}" --stap="${translator:-$served}" --address=127.0.0.1 --port="${listen:-0}" --certificate=localhost.pem --key=localhost.key --client-ca=ca.pem \
        --client-crl=crl.pem --tokens=tokens --policy=policy.json --tapsets="net=$work/sets/net" --sign-key="${signer:-signer.key}" --sign-certificate=signer.pem \
        --audit-log="${audit:-$work/audit.log}" --header-timeout=2 --body-timeout=3 --connections-per-address="${per_address:-2000}" "${limit[@]}" "$@" >server.out 2>server.err &
    daemon=$!
    pids+=("$daemon")
    patiently 30 eval 'grep -q listening server.out || ! kill -0 "$daemon" 2>/dev/null'
    port=$(sed -n 's/listening on port //p' server.out)
    [ -n "$port" ] || { cat server.err; return 1; }
    sed -n 's/^memory of compilations is limited by control groups in //p' server.err >>groups.list
    url=https://localhost:$port
}

# other_state NAME: the directory NAME with a state of its own, whose one kernel has to be prepared anew.
other_state() {
    mkdir -p "$1/kernels" "$1/uploads"
    cp -a "state/kernels/$release" "$1/kernels/"
    sed -i "s/\"translator\": \"[^\"]*\"/\"translator\": \"older\"/; s,\"place\": \"[^\"]*\",\"place\": \"$work/$1/kernels/$release\"," "$1/kernels/$release/kernel.json"
    chown -R --reference=state "$1"
    chmod --reference=state "$1"
}

# Control groups that servers have left, which the next one would take away.
remove_groups() {
    [ ! -e groups.list ] || while read -r group; do
        rmdir "$group"/*/ "$group" 2>/dev/null
    done <groups.list
}

# ask [curl option...]: the body goes to `body`, the status is printed.
ask() { curl -sS --cacert ca.pem -o body -w '%{http_code}\n' --max-time 120 "$@"; }
as() { # NAME [curl option...]
    local name=$1
    shift
    ask --cert "$name.pem" --key "$name.key" "$@"
}

# request SCRIPT [MORE]: a request's JSON; MORE are further fields.
request() {
    python3 - "$1" "$release" "${2:-{\}}" <<'EOF'
import json, sys
print(json.dumps({"script": sys.argv[1], "kernel": {"release": sys.argv[2]}, **json.loads(sys.argv[3])}))
EOF
}

post() { # NAME REQUEST [curl option...]
    local name=$1 text=$2
    shift 2
    printf %s "$text" >request.json
    as "$name" -H 'Content-Type: application/json' --data-binary @request.json "$@" "$url/v1/modules"
}

equal() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; [ ! -e body ] || head -c 2000 body; return 1; }; }
has() { grep -qF -- "$1" "${2:-body}" || { echo "not there: $1"; head -c 2000 "${2:-body}"; return 1; }; }
lacks() { ! grep -qF -- "$1" "${2:-body}" || { echo "there: $1"; return 1; }; }
answers() { [ "$("${@:2}")" = "$1" ]; } # STATUS COMMAND...
fails() { if "$@"; then echo "did not fail: $*"; return 1; fi; }
field() { python3 -c 'import json, sys
value = json.load(open("body"))
for part in sys.argv[1].split("."): value = value[part]
print(value)' "$1"; }

# valid SCHEMA: what was answered is what the description says.
valid() {
    curl -sS --max-time 200 --cacert ca.pem -o openapi.json "$url/v1/openapi.json" || return
    python3 - "$1" <<'EOF'
import json, jsonschema, sys
api = json.load(open("openapi.json"))
schema = {"$ref": "#/components/schemas/" + sys.argv[1], "components": api["components"]}
text = open("body").read()
for part in (text.splitlines() if sys.argv[1] == "Event" else [text]):
    jsonschema.Draft202012Validator(schema).validate(json.loads(part))
EOF
}

# refused TAG: the last answer is a refusal with that tag, and the log has it.
refused() {
    valid Refusal
    equal "$(field error.tag)" "$1"
    tail -n 5 audit.log >audit.tail
    has "decision=refused" audit.tail
    has "tag=\"$1\"" audit.tail
}
