#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh STAP-PUSH MODULES STAP: a played session and a collector that is good, slow, late, broken, or not there. What arrives is read by
# OpenTelemetry's own library, which npm puts into MODULES, and must be what the session counted. Without npm that part is skipped.
set -u -o pipefail
push=$(realpath "$1")
stap=$(realpath "$3")
modules=$(mkdir -p "$2" && realpath "$2")
here=$(dirname "$(realpath "$0")")
. "$here/../patiently.sh"
for program in curl python3; do
    command -v "$program" >/dev/null || { echo "no $program"; exit 77; }
done
cp "$here/package.json" "$modules"
fetched=yes
[ -d "$modules/node_modules/@opentelemetry/otlp-transformer" ] ||
    (cd "$modules" && timeout 300 npm install --ignore-scripts --no-audit --no-fund) >"$modules/npm.log" 2>&1 || fetched=no
command -v node >/dev/null || fetched=no
work=$(mktemp -d)
collector=
trap '[ -z "$collector" ] || kill "$collector"; wait; rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
fail() { echo "FAIL: $*"; failed=1; }
exec 3>&1

# begin MODE: a collector that answers so.
begin() {
    echo "$1" >mode
    rm -f port asked
    python3 "$here/collector.py" . ${port:-} 2>collector.log &
    collector=$!
    patiently 20 test -s port || { cat collector.log; exit 1; }
    port=$(cat port)
}
end_collector() {
    kill "$collector"
    wait "$collector" 2>/dev/null
    collector=
}
fresh() { rm -rf received/* queue out err own asked; }
# play COUNT [STATUS]: a whole session of so many questions.
play() { "$push" --to "http://127.0.0.1:$port" --settings settings --name played -- python3 "$here/session.py" "$1" own ${2:-} >out 2>err; }
settings() { printf '%s\n' "queue=$work/queue" every=0.2 retry=0.1 "$@" >settings; }
count() { ls received | grep -vc head; }
last() { ls received/* | grep -v head | tail -n 1; }
# decoded FILE: its lines are in `text`.
decoded() {
    [ $fetched = yes ] || return 1
    node "$here/decode.cjs" "$modules" "$1" >text 2>decode.err || { fail "cannot be read: $(tail -n 5 decode.err)"; return 1; }
    # Numbers as the session writes them.
    python3 - text <<'END' >text.new && mv text.new text
import re, sys
for line in open(sys.argv[1], encoding="utf-8"):
    if not line.startswith("tapir."):
        print(line, end="")
        continue
    line = re.sub(r"le=([0-9.e-]+)\}", lambda m: "le=" + (f"{float(m[1]):.9f}".rstrip("0").rstrip(".") or "0") + "}", line)
    print(re.sub(r" (-?[0-9.e-]+)$", lambda m: f" {float(m[1]):g}", line), end="" if line.endswith("\n") else "\n")
END
}
# same_as_own FILE: the request has what the session has counted.
same_as_own() {
    decoded "$1" || return 0
    local line
    python3 - <<'END' >wanted
import re
for line in open("own", encoding="utf-8"):
    print(re.sub(r" (-?[0-9.e-]+)$", lambda m: f" {float(m[1]):g}", line), end="")
END
    while IFS= read -r line; do
        grep -qxF -e "$line" text || fail "the last request has not '$line': $(grep -F -e "${line%% *}" text)"
    done <wanted
}
# told TEXT: standard error has it.
told() { grep -qF -e "$1" err || fail "not told: '$1', but: $(cat err)"; }
empty_queue() { [ -z "$(find queue -name '*.item' -o -name '*.tmp')" ] || fail "left in the queue: $(find queue)"; }

# --- a good collector gets it all, and the texts go on
begin ok
settings attribute=deployment.environment=test 'header=X-Token: secret "word"'
chmod 600 settings
play 3 5
[ $? = 5 ] || fail 'the exit status is not the command'"'"'s'
printf 'the script begins\nthe script ends \344\n' | cmp - out || fail "the texts are $(cat out)"
told 'the command writes lines that are no records'
[ "$(count)" = 4 ] || fail "$(count) requests are not 4"
[ "$(head -n 1 "$(last).head")" = 'POST /v1/metrics HTTP/1.1' ] || [ "$(head -n 1 "$(last).head")" = 'POST /v1/metrics' ] || fail "$(cat "$(last).head")"
grep -qixF 'Content-Type: application/x-protobuf' "$(last).head" && grep -qixF 'X-Token: secret "word"' "$(last).head" || fail "$(cat "$(last).head")"
same_as_own "$(last)"
empty_queue
if decoded "$(last)"; then
    for line in 'resource service.name=tapir' 'resource host.name=here' 'resource deployment.environment=test' \
        'metric tapir.played.reads sum 2 monotonic [1] The reads_total' 'metric tapir.played.depth gauge [] The depth' \
        'metric tapir.played.busy sum 2 monotonic [s] The busy' 'metric tapir.played.took histogram 2 [s] The took'; do
        grep -qxF -e "$line" text || fail "no '$line': $(cat text)"
    done
    grep -q '^tapir.push.delivered{script=played} [1-3]$' text || fail "$(grep delivered text)"
fi
pgrep -f "$push --to http://127.0.0.1:$port" >/dev/null && fail 'a program is left'

# All records, with --records.
"$push" --to "http://127.0.0.1:$port" --settings settings --records -- python3 "$here/session.py" 1 own >out 2>err
grep -q '"type": "metric_end"' out && grep -qx 'not a record' out || fail 'records are not passed on'

# --- profiles of captures, as pprof
capture=$here/../report/captures/culprit-lock.tapir
profile() { "$push" --to "$1+http://127.0.0.1:$port$2" --settings settings "${@:3}" >out 2>err; }
fresh
profile pprof '/up?key=1' "$capture" "$here/../report/captures/culprit-fsync.tapir" || fail "pprof: $(cat err)"
[ "$(count)" = 2 ] || fail "$(count) profiles are not 2"
head -n 1 "$(last).head" | grep -qF 'POST /up?key=1' || fail "$(head -n 1 "$(last).head")"
"$(dirname "$push")/stap-report" --format=pprof -o wanted "$capture" 2>err || [ $? = 3 ] || fail "$(cat err)"
cmp wanted received/00000 || fail 'the profile is not that of stap-report'
fresh
profile pyroscope '' --name 'my lock' "$capture" || fail "pyroscope: $(cat err)"
grep -qE '^POST /ingest\?name=tapir.my%20lock&from=[0-9]{10}&until=[0-9]{10}&format=pprof&spyName=tapir' "$(last).head" || fail "$(cat "$(last).head")"
cmp wanted "$(last)" || fail 'the profile of Pyroscope'
fresh
profile parca '' "$capture" || fail "parca: $(cat err)"
head -n 1 "$(last).head" | grep -qF 'POST /api/profiles/writeraw' || fail "$(cat "$(last).head")"
python3 -c '
import base64, json, sys
series, = json.load(open(sys.argv[1]))["series"]
assert {l["name"] for l in series["labels"]["labels"]} == {"__name__", "script", "node"}, series["labels"]
assert base64.b64decode(series["samples"][0]["raw_profile"]) == open("wanted", "rb").read()' "$(last)" || fail 'the profile of Parca'
# A command writes a capture.
fresh
"$push" --to "pprof+http://127.0.0.1:$port/up" --settings settings --name x -- \
    sh -c "cp '$capture' \"\$TAPIR_PUSH_CAPTURE\"; exec python3 $here/session.py 0 own 4 </dev/null" >out 2>err
[ $? = 4 ] || fail "the status of a command with a profile: $(cat err)"
cmp wanted "$(last)" || fail 'the profile of a command'
fresh
"$push" --to "pprof+http://127.0.0.1:$port/up" --settings settings --capture "$capture" -- python3 "$here/session.py" 0 own >out 2>err
cmp wanted "$(last)" || fail 'the capture of a command'
fresh
if profile pprof /up /none "$here/run.sh"; then fail 'what is no capture is pushed'; fi
told "/none: cannot read '/none'"
told 'run.sh: '
# Nothing arrives: the exit status says so.
echo 403 >mode
if profile pprof /up "$capture"; then fail 'a refused profile is success'; fi
told 'profile refused and dropped: it answers with HTTP status 403'
echo ok >mode

# --- one that fails for a while: what waits comes in order, and nothing is lost
for how in 503 busy garbage page closes endless; do
    fresh
    settings linger=60
    echo $how >mode
    play 4 &
    playing=$!
    patiently 30 sh -c '[ -e asked ] && [ "$(grep -c . asked)" -ge 2 ]'
    echo ok >mode
    wait $playing || fail "$how: exit status $?"
    told 'cannot push: '
    told 'reaches the collector again'
    [ "$(count)" = 5 ] || fail "$how: $(count) requests are not 5"
    same_as_own "$(last)"
    empty_queue
    grep -q 'were dropped' err && fail "$how: $(cat err)"
    # Twice 2 seconds were asked for.
    [ $how != busy ] || awk '$1 != "busy" || NR == 1 {next} $2 < 1.9 {bad = 1} END {exit bad}' asked || fail "Retry-After: $(cat asked)"
done
told 'the answer is too long'

# --- one that refuses for good: told, counted, and the rest goes on
fresh
settings
echo refuses >mode
play 3 &
playing=$!
patiently 30 grep -qs '^refuses' asked
echo ok >mode
wait $playing
told 'metrics refused and dropped: it answers with HTTP status 400: bad metrics'
told 'items were dropped ('
refused=$(grep -c '^refuses' asked)
[ $((refused + $(count))) = 4 ] || fail "$refused refused and $(count) accepted are not 4"
same_as_own "$(last)"
! decoded "$(last)" || grep -qxF "tapir.push.dropped{script=played,why=refused} $refused" text || fail "$(grep dropped text)"
fresh
echo redirects >mode
play 1
told 'it answers with HTTP status 307'

# --- one that accepts a part
for how in partial json; do
    fresh
    echo $how >mode
    play 4
    [ $how = json ] || told 'the collector left out 3 points: too old'
    [ $how = partial ] || told 'the collector left out 2 points: odd'
    told 'points of what it accepted'
    ! decoded "$(last)" || grep -q '^tapir.push.rejected_points{script=played} [1-9]' text || fail "$how: $(grep rejected text)"
done

# --- one that is slow, or hangs, or is dead, does not hold the session; items stay for the next
fresh
settings linger=0 timeout=600
echo hangs >mode
play 3 || fail "exit status $?"
told 'items wait in'
[ "$(find queue -name '*.item' | wc -l)" = 4 ] || fail "4 items should wait: $(find queue)"
end_collector
play 2
told '4 items of earlier sessions wait'
told 'cannot push: '
[ "$(find queue -name '*.item' | wc -l)" = 7 ] || fail "7 items should wait: $(find queue)"
begin slow
settings linger=60
play 1
told '7 items of earlier sessions wait'
[ "$(count)" = 9 ] || fail "$(count) requests are not 9"
same_as_own "$(last)"
empty_queue
if [ $fetched = yes ]; then
    # Oldest first.
    for file in $(ls received/* | grep -v head); do
        decoded "$file"
        sed -n 's/^times tapir.hits [0-9]* //p' text
    done >times
    LC_ALL=C sort -g -c times || fail "out of order: $(cat times)"
fi

# --- killed: whole items stay, and the session ends
fresh
settings linger=60
end_collector
"$push" --to "http://127.0.0.1:$port" --settings settings --name played -- python3 "$here/session.py" 1000 own >out 2>err &
victim=$!
patiently 30 sh -c '[ "$(find queue -name "*.item" 2>/dev/null | wc -l)" -ge 3 ]'
kill -9 $victim
wait $victim 2>/dev/null
patiently 20 sh -c "! pgrep -f '$here/[s]ession.py 1000'" >/dev/null || fail 'the session is left'
waiting=$(find queue -name '*.item' | wc -l)
begin ok
play 1
[ "$(count)" = $((waiting + 2)) ] || fail "$(count) requests are not $waiting + 2"
same_as_own "$(last)"

# --- files that cannot be written are told
fresh
end_collector
settings linger=0
(
    ulimit -S -f 0
    "$push" --to "http://127.0.0.1:$port" --settings settings -- sh -c "ulimit -S -f unlimited; exec python3 $here/session.py 2 own" 2>&1 >/dev/null
) | cat >err
told 'File too large: an item is dropped'
told '3 items were dropped (3 unwritten), 0 were delivered'

# --- signals are for the command; what it tells then arrives
begin ok
fresh
settings linger=60
for signal in INT TERM; do
    rm -f own
    "$push" --to "http://127.0.0.1:$port" --settings settings --name played -- python3 "$here/session.py" 1000 own >out 2>err &
    victim=$!
    patiently 30 test -e own
    kill -$signal $victim
    wait $victim || fail "$signal: exit status $?"
    grep -q 'the script ends' out || fail "$signal: $(cat out err)"
    same_as_own "$(last)"
done
end_collector

# --- handlers are the same code for each collector, and that of --metrics
code() { "$stap" -p3 "$@" -e '@metric(n, counter, "calls", "") global n probe timer.s(1) { n++ }'; }
code --format=json --metrics >code.metrics 2>err && grep -q tapir code.metrics || fail "no code: $(cat err)"
for url in http://good:4318 pyroscope+https://bad; do
    code --push=$url | cmp - code.metrics || fail "the code for $url"
done

# --- what it refuses
says() {
    local wanted=$1 status=$2
    shift 2
    "$push" "$@" >out 2>&1
    [ $? = "$status" ] && grep -qF -e "$wanted" out || fail "$*: $(cat out)"
}
says "'ftp://x' is no URL to push to" 2 --to ftp://x -- true
says '--to says where to push' 2 -- true
says 'what is to be pushed?' 2 --to http://x
says "'http://x' takes metrics, not captures" 2 --to http://x capture
says 'unknown option --nothing' 2 --nothing
says "credentials are for header= in the settings file" 2 --to http://user:word@x -- true
says "cannot read '/none'" 78 --to http://x --settings /none -- true
printf 'header=A: b\n' >open && chmod 644 open
says "others can read 'open'" 78 --to http://x --settings open -- true
says 'stap-push version' 0 --version
[ $fetched = yes ] || echo "without OpenTelemetry's library, which could not be fetched: what arrives was not decoded"
[ "$failed" = 0 ] && echo good
exit "$failed"
