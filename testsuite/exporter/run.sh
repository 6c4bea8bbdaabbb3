#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stap-exporter with sessions that are played: the text is read by promtool and by the reader of Prometheus' Python client; scripts that fail,
# end, say nothing or write garbage do not hold the others; the socket, HTTPS and tokens. Usage: run.sh STAP-EXPORTER
set -u -o pipefail
exporter=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
. "$here/../patiently.sh"
for program in curl openssl python3; do
    command -v "$program" >/dev/null || { echo "no $program"; exit 77; }
done
# Started by root, the exporter takes no folder below /tmp.
work=$(mktemp -d -p "$PWD")
pid=
trap '[ -z "$pid" ] || kill "$pid"; wait; rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
fail() { echo "FAIL: $*"; failed=1; }
# start OPTION...: an exporter of the folder, whose port or socket is in its log.
start() {
    "$exporter" --folder "$work/d" --stap "$here/player.py" "$@" 2>log &
    pid=$!
    patiently 20 grep -q '^serves' log || { cat log; exit 1; }
    port=$(sed -n 's/^serves.*:\([0-9]*\)$/\1/p' log)
}
stop() {
    kill "$pid"
    wait "$pid" || fail "exit status $?"
    pid=
}
open() { curl -s -H 'Accept: application/openmetrics-text' "http://127.0.0.1:$port/metrics"; }
# value NAME{LABELS} VALUE: the text has it now.
value() { open >page && grep -qF "$1 $2" page; }
script() { printf 'script=/none/%s.stp\n' "$1" >"d/$1.conf"; }

mkdir d
for name in good ends silent garbage fails many; do script "$name"; done
echo nonsense >d/wrong.conf
"$exporter" --folder d --check 2>checked && fail 'a wrong folder is right'
grep -q "wrong.conf: line 1: 'nonsense' is no setting" checked || fail "$(cat checked)"
start --listen 127.0.0.1:0 --deadline 1
grep -q '^serves 6 scripts' log || fail "$(cat log)"

# The first question starts the scripts.
value 'tapir_script_starts_total{script="good"}' 0 || fail 'a script has started unasked'
patiently 20 value 'tapir_script_up{script="good"}' 1
value 'tapir_script_up{script="fails"}' 0 || fail 'a script that fails is up'
patiently 20 grep -q 'fails: starts again in 2 s' log
grep -q '^fails: parse error: nothing is right' log || fail "$(cat log)"

# A script that says nothing is late, and the others answer.
patiently 20 value 'tapir_script_up{script="silent"}' 0
value 'tapir_script_up{script="good"}' 1 || fail 'one script holds another'
patiently 20 value 'tapir_script_up{script="garbage"}' 1
again() { open >page && grep -q 'tapir_script_starts_total{script="ends"} [2-9]' page; }
patiently 20 again
value 'tapir_series_left_out{script="many"}' 1002 || fail "$(open | grep left_out)"
grep -q '^many: 1002 elements are left out: the limit is 1000 (series=)' log || fail "$(cat log)"

# Both readers.
open >text
curl -s "http://127.0.0.1:$port/metrics" >old
asked=$(sed -n 's/^tapir_good_depth -//p' text)
quoted='program=a "quoted" \ name
of two lines \x01'
# Debian's Python has Debian's packages.
reader=python3
/usr/bin/python3 -c 'import prometheus_client' 2>/dev/null && reader=/usr/bin/python3
"$reader" "$here/check_text.py" text "tapir_good_reads_total{kind=1,$quoted}=$((2 * asked))" "tapir_good_depth=-$asked" \
    "tapir_good_took_seconds_bucket{disk=sda,le=0.000007}=$((2 * asked))" "tapir_good_took_seconds_bucket{disk=sda,le=+Inf}=$((3 * asked))" \
    "tapir_lost_total{script=good,what=records}=$((2 * asked))"
case $? in
0) ;;
77) missing="Prometheus' Python client" ;;
*) fail 'the reader of OpenMetrics does not take the text, or reads other values' ;;
esac
if command -v promtool >/dev/null; then
    promtool check metrics <old || fail 'promtool does not take the text'
else
    missing="${missing:+$missing and }promtool"
fi
tail -n 1 text | grep -qx '# EOF' || fail 'the text has no end'
curl -s -o none -w '%{http_code} %{content_type}\n' -H 'Accept: application/openmetrics-text' "http://127.0.0.1:$port/metrics" |
    grep -qx '200 application/openmetrics-text; version=1.0.0; charset=utf-8' || fail 'the type of the text'
[ "$(curl -s -o none -w '%{http_code}' "http://127.0.0.1:$port/other")" = 404 ] || fail 'there is another page'
[ "$(curl -s "http://127.0.0.1:$port/-/healthy")" = ready ] || fail 'it is not ready'
# Clients that say nothing, or read nothing, hold no other, be they more than it has threads.
"$here/hanging_clients.py" "$port" 20 >hanging 2>&1 &
hanging=$!
patiently 60 grep -q '^all hang' hanging || fail "$(cat hanging)"
value 'tapir_script_up{script="good"}' 1 || fail 'clients that hang hold others'
kill "$hanging"
wait "$hanging" 2>/dev/null
# Several ask at a time.
several=()
for i in 1 2 3 4 5 6 7 8; do
    curl -s "http://127.0.0.1:$port/metrics" >"several$i" &
    several+=("$!")
done
wait "${several[@]}"
grep -qF 'tapir_script_up{script="good"} 1' several? -L | grep . && fail 'not all that asked together have an answer'
stop
! pgrep -f "$here/player.py" >/dev/null || fail 'a script is left behind'

# Root runs nothing that others can write.
if [ "$(id -u)" = 0 ]; then
    mkdir open && chmod 777 open
    "$exporter" --folder open 2>refused
    [ $? = 78 ] && grep -q "'.*open' can be written by others" refused || fail "$(cat refused)"
fi

# A socket; scripts that start with the exporter.
rm d/*
printf 'script=/none/good.stp\nstart=boot\nseries=2\n' >d/good.conf
start --listen "unix:$work/socket"
patiently 20 sh -c "curl -s --unix-socket '$work/socket' http://x/metrics | grep -q 'tapir_script_up{script=\"good\"} 1'"
[ "$(stat -c %a socket)" = 660 ] || fail 'others may use the socket'
stop
[ ! -e socket ] || fail 'the socket is left'

# HTTPS and tokens.
openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>err ||
    fail "$(cat err)"
echo "prometheus $(printf secret | sha256sum | cut -d ' ' -f 1)" >tokens
start --listen 127.0.0.1:0 --certificate certificate --key key --tokens tokens
page() { curl -s --cacert certificate -o page -w '%{http_code}' "$@" "https://localhost:$port/metrics"; }
[ "$(page)" = 401 ] || fail 'no token is needed'
[ "$(page -H 'Authorization: Bearer wrong')" = 401 ] || fail 'a wrong token is right'
[ "$(page -H 'Authorization: Bearer secret')" = 200 ] || fail 'the right token is wrong'
stop

# The exporter refuses these.
says() {
    local wanted=$1 status=$2
    shift 2
    "$exporter" "$@" >out 2>&1
    [ $? = "$status" ] && grep -qF -e "$wanted" out || fail "$*: $(cat out)"
}
says 'other hosts can reach 0.0.0.0: that needs --certificate, --key and --tokens' 2 --listen 0.0.0.0:1
says "--listen: 'x' is neither ADDRESS:PORT nor unix:PATH" 2 --listen x
says '--certificate and --key need each other' 2 --certificate x
says "--deadline: '0' is not a number of seconds" 2 --deadline 0
says "none'" 78 --folder none
says 'cannot use the certificate' 1 --folder d --certificate none --key none --listen 127.0.0.1:0
says 'stap-exporter version' 0 --version
[ -z "${missing:-}" ] || echo "without $missing"
[ "$failed" = 0 ] && echo good
exit "$failed"
