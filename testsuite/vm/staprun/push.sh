# SPDX-License-Identifier: GPL-2.0-or-later
# stap-push at a real session: a collector gets the counts of the program that makes the calls. One that hangs, answers garbage, refuses or is
# not there costs no hit: each hit has its handler, each loss is told, and what waited arrives at the next push.
#: scripts: _metrics.stp
#: stap: --format=json --metrics
#: long: Python is slow in a guest
#: requires: program python3 curl
#: timeout: 900
. "$AREA/_common.sh"
ip link set lo up 2>/dev/null || true

cat >fields.py <<'END'
# fields.py FILE NAME: the numbers of a metric in a request of OTLP, of each point with its attributes, by the wire format alone.
import struct
import sys


def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        size = {1: 8, 2: None, 0: 0}[key & 7]
        if size == 0:
            yield key >> 3, varint()
            continue
        size = varint() if size is None else size
        yield key >> 3, data[at:at + size]
        at += size


def all_of(data, number):
    return [value for field, value in fields(data) if field == number]


for resource in all_of(open(sys.argv[1], "rb").read(), 1):
    for scope in all_of(resource, 2):
        for metric in all_of(scope, 2):
            if all_of(metric, 1) != [sys.argv[2].encode()]:
                continue
            for point in all_of(all_of(metric, 7)[0], 1):
                texts = [all_of(all_of(a, 2)[0], 1)[0].decode() for a in all_of(point, 7)]
                print(*texts, struct.unpack("<q", all_of(point, 6)[0])[0])
END
cat >load.py <<'END'
import os, time
for turn in range(20):
    for _ in range(100):
        os.sched_get_priority_max(os.SCHED_FIFO)
        os.sched_get_priority_min(os.SCHED_FIFO)
    time.sleep(0.1)
END
printf '%s\n' "queue=$PWD/queue" every=2 retry=0.5 linger=0 >settings
echo ok >mode
python3 "$AREA/../../push/collector.py" . >collector.log 2>&1 &
collector=$!
eventually 60 test -s port
port=$(cat port)
last() { ls received/* | grep -v head | tail -n 1; }

# push WHERE HOW: a session whose collector is so.
push() {
    run "$BIN/stap-push" --to "http://127.0.0.1:$1" --settings settings --name calls --records -- \
        "$STAPRUN" --format=json --commands 3 -c 'python3 load.py' _metrics.ko >records 2>err
    is_equal "exit status with a collector that is $2" $status 0
# A session has its own accounting, in spite of the collector.
    python3 - "$2" <<'END' || fail "$(tail -n 3 records; cat err)"
import json, sys
quality, calls = None, {}
for line in open("records"):
    record = json.loads(line)
    if record["type"] == "quality":
        quality = record
    if record["type"] == "value" and record["name"] == "calls" and record["keys"][0].startswith("python"):
        calls[record["keys"][1]] = record["value"]
assert calls == {"max": 2000, "min": 2000}, calls
assert quality["complete"] and quality["hits"] >= 4000, quality
assert all(quality[lost] == 0 for lost in ("lost_hits", "errors", "lost_records")), quality
END
}

sed -i s/linger=0/linger=240/ settings
push "$port" good
# The program's own counts.
python3 fields.py "$(last)" tapir.calls.calls | grep '^python' | sort >counts
is_equal 'what arrived' "$(awk '{ print $2, $3 }' counts)" "$(printf 'max 2000\nmin 2000')"
good=$(ls received | grep -vc head)
[ "$good" -ge 3 ] || fail "$good requests are too few"
sed -i s/linger=240/linger=0/ settings
for how in hangs garbage 503 endless; do
    echo $how >mode
    push "$port" $how
    grep -q 'items wait in' err || fail "$how: $(cat err)"
done
push 1 absent
grep -q 'cannot push: ' err || fail "$(cat err)"
echo refuses >mode
sed -i s/linger=0/linger=240/ settings
push "$port" refusing
grep -q 'items were dropped' err || fail "$(cat err)"
rm -rf received/*
echo hangs >mode
sed -i s/linger=240/linger=0/ settings
push "$port" hanging
waiting=$(find queue -name '*.item' | grep -c .)
echo ok >mode
sed -i s/linger=0/linger=240/ settings
push "$port" 'good again'
[ "$(ls received | grep -vc head)" -gt "$waiting" ] || fail "$waiting waited: $(ls received; cat err)"
python3 fields.py "$(last)" tapir.calls.calls | grep -c '^python.* 2000$' | grep -qx 2 || fail "$(python3 fields.py "$(last)" tapir.calls.calls)"
kill $collector
