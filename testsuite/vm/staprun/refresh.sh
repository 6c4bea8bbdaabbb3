# SPDX-License-Identifier: GPL-2.0-or-later
# --refresh: globals that are displayed at the end are records while the script runs, too, and so is the accounting; the sums are what
# the program counted. Commands of another program end the session.
#: scripts: _refresh.stp
#: stap: --refresh
#: requires: program python3
#: long: Python is slow in a guest
#: timeout: 300
. "$AREA/_common.sh"
schema=$AREA/../../../docs/output.schema.json

# 25 files in 5 rounds, with a pause in which they are told.
cat >load.py <<'END'
import os, time
for _ in range(5):
    for name in ("one", "two", "three", "four", "five"):
        try:
            os.close(os.open("/nothing/" + name, os.O_RDONLY))
        except OSError:
            pass
    time.sleep(1)
END
run "$STAPRUN" --format=json --refresh 0.3 -c 'python3 load.py' _refresh.ko >json 2>err
is_equal 'exit status' $status 0
# An emulated processor may be slow.
! grep -v '^WARNING: probes take' err || fail 'unexpected messages'
python3 - json <<'END'
import json, sys

records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
times = [r["t"] for r in records]
assert times == sorted(times), "records are not in the order of time"
refreshes = [r for r in records if r["type"] == "refresh"]
assert len(refreshes) >= 5, f"{len(refreshes)} refreshes in 5 seconds"
assert [r["hits"] for r in refreshes] == sorted(r["hits"] for r in refreshes)
assert refreshes[-1]["hits"] > 25 and not any(r["lost_hits"] or r["lost_records"] or r["errors"] for r in refreshes)
blocks, now = [], None
for r in records:
    if r["type"] == "row" and r["table"] == "globals":
        now = {} if r["row"]["name"] == "opened" else None
        if now is not None:
            blocks.append(now)
    elif r["type"] == "value" and r["name"] == "opened" and now is not None:
        if r["keys"][0] in now:  # the end, which prints all once more
            now = {}
            blocks.append(now)
        now[r["keys"][0]] = r["value"]
mine = [{k: v for k, v in b.items() if k.startswith("/nothing/")} for b in blocks]
assert mine[0].keys() <= {"/nothing/" + n for n in ("one", "two", "three", "four", "five")}
counts = [sum(b.values()) for b in mine]
assert counts == sorted(counts), counts
assert 25 in counts and any(0 < c < 25 for c in counts), f"not told while it ran: {counts}"
last = {r["keys"][0]: r["value"] for r in records if r["type"] == "value" and r["name"] == "opened"}
assert {k: v for k, v in last.items() if k.startswith("/nothing/")} == {"/nothing/" + n: 5 for n in ("one", "two", "three", "four", "five")}
assert [r for r in records if r["type"] == "value" and r["name"] == "last"][-1]["value"] == "python3"
END
if python3 -c 'import jsonschema' 2>/dev/null; then
    { head -n 1 json; grep '"type":"refresh"' json | head -n 3; tail -n 1 json; } >some
    python3 "$AREA/../../check_records.py" "$schema" some >/dev/null || fail 'a record is not valid'
fi

# Another program ends it, and is told that it asked for what there is not.
mkfifo "/tmp/asked.$$"
exec 7<>"/tmp/asked.$$"
"$STAPRUN" --format=json --refresh 0.2 --commands 7 _refresh.ko >json 2>err &
eventually 30 grep -q '"type":"refresh"' json
printf 'nonsense\nstop\n' >&7
wait_for $!
is_equal 'exit status' $status 0
grep -q "there is no command 'nonsense'" err || fail "$(cat err)"
tail -n 1 json | grep -q '"type":"end"' || fail 'the end is not told'

# By standard input, too: the command of -c finds it empty then.
"$STAPRUN" --format=json --refresh 0.2 --commands 0 -c 'cat >read; echo over >>read; until [ -e enough ]; do sleep 0.1; done' _refresh.ko \
    <"/tmp/asked.$$" >json 2>err &
eventually 30 grep -q over read
is_equal 'what the command has read' "$(cat read)" over
printf 'nonsense\nstop\n' >&7
eventually 30 grep -q "there is no command 'nonsense'" err
touch enough
wait_for $!
is_equal 'exit status' $status 0
tail -n 1 json | grep -q '"type":"end"' || fail 'the end is not told'

run "$STAPRUN" --refresh 1 _refresh.ko >json 2>err
grep -q -e '--refresh needs --format=json' err || fail "$(cat err)"
run "$STAPRUN" --format=json --commands 77 _refresh.ko >json 2>err
grep -q "'77' is not an open descriptor" err || fail "$(cat err)"
