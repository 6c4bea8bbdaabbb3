# SPDX-License-Identifier: GPL-2.0-or-later
# --format=json has the samples of @sample: the counts are the program's own, by function, label and thread, and those of the capture of
# the same run. With --times each has a record of its own.
#: host: gcc -O1 -g -pthread -o phases "$AREA/_phases.c"
#: host: "$STAP" -p4 -r "$R" -m calls -e '@profile("calls", "calls") probe process(@1).function("one") { @sample(ubacktrace(), 3) } probe process(@1).function("two") { @sample_label("second", ubacktrace(), 1) } @table(t, "n") probe end { @row(t, 1) }' "$W/phases" >/dev/null
#: requires: program python3
#: long: Python is slow in a guest
#: timeout: 300
schema=$AREA/../../../docs/output.schema.json
# The program calls one() 300 times, and two() 200 times in a thread of its own, a second later.
cat >judge.py <<'END'
import json, sys

timed = sys.argv[2] == "timed"
records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
kinds = [r["type"] for r in records]
assert kinds[0] == "meta" and kinds[-1] == "end" and records[-1]["status"] == 0, kinds
profile = [r for r in records if r["type"] == "profile"]
assert len(profile) == 1 and profile[0]["title"] == "calls" and profile[0]["clock"] == "probe", profile
stacks, calls, sums, threads, times = {}, {}, {}, {}, {}
for r in records:
    if r["type"] == "stack":
        assert r["stack"] not in stacks, "a stack is told twice"
        assert r["user_end"] == "complete" and "kernel_end" not in r, r
        stacks[r["stack"]] = r["frames"]
    if r["type"] == "sample":
        frames = stacks[r["stack"]]
        name = frames[0]["name"]
        assert frames[0]["object"].endswith("/phases") and len(frames[0]["build_id"]) == 40 and "returns" not in frames[0], frames[0]
        assert all("returns" in f for f in frames[1:]), frames
        assert r.get("label") == ("second" if name == "two" else None), r
        calls[name] = calls.get(name, 0) + r["count"]
        sums[name] = sums.get(name, 0) + r["sum"]
        if timed:
            assert r["count"] == 1 and r["comm"] == "phases", r
            threads.setdefault(name, set()).add(r["tid"])
            times.setdefault(name, []).append(r["time"])
        else:
            assert "time" not in r and "tid" not in r, r
assert calls == {"one": 300, "two": 200} and sums == {"one": 900, "two": 200}, (calls, sums)
assert profile[0]["samples"] == 500
quality = [r for r in records if r["type"] == "quality"][0]
assert quality["complete"] and quality["hits"] >= 500 and quality["lost_hits"] == 0, quality
if timed:
    assert len(threads["two"]) == 1 and not threads["two"] & threads["one"], threads
    assert min(times["two"]) - max(times["one"]) >= 10**9, "the thread begins a second later"
    assert records[0]["started"] - 10**9 < min(times["one"]) and max(times["two"]) - records[0]["started"] < 250 * 10**9
END
for way in summed timed; do
    times=
    [ $way = summed ] || times=--times
    "$STAPRUN" $times calls.ko --format=json --record $way.tapir -c ./phases >$way.json 2>err || fail "status $?: $(cat err)"
    python3 judge.py $way.json $way || fail "$(grep -e '"profile"' -e '"stack"' $way.json | head -n 5)"
    "$BIN/stap-report" $way.tapir --format=json >shares.json
    python3 -c 'import json; r = json.load(open("shares.json")); assert r["samples"] == 500 and r["value"] == 1100, r["value"]'
done
# Without a capture the records are the same.
"$STAPRUN" calls.ko --format=json -c ./phases >alone.json 2>err || fail "status $?: $(cat err)"
python3 judge.py alone.json summed
is_equal 'stacks' "$(grep -c '"type":"stack"' alone.json)" "$(grep -c '"type":"stack"' summed.json)"
! grep -q 'wrote' err || fail "$(cat err)"
if python3 -c 'import jsonschema' 2>/dev/null; then
    for file in summed alone; do
        python3 "$AREA/../../check_records.py" "$schema" $file.json >/dev/null || fail "$file: a record is not valid"
    done
fi
