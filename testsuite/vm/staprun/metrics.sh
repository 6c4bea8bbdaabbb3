# SPDX-License-Identifier: GPL-2.0-or-later
# --metrics: a program asks for the metrics of a script at any time, and gets the counts of the program that makes the calls. Nothing is
# told without a question, and the end tells them once more. A script without metrics says so.
#: scripts: _metrics.stp _refresh.stp
#: stap: --format=json --metrics
#: long: Python is slow in a guest
#: requires: program python3
#: timeout: 300
. "$AREA/_common.sh"
schema=$AREA/../../../docs/output.schema.json

cat >metrics.py <<'END'
import json, os, subprocess, sys

staprun, module = sys.argv[1:]
reads, asks = os.pipe()
session = subprocess.Popen([staprun, "--format=json", "--commands", str(reads), module],
                           pass_fds=[reads], stdout=subprocess.PIPE, stderr=open("err", "w"), text=True)
os.close(reads)
lines, me = [], open("/proc/self/comm").read().strip()


def records():
    for line in session.stdout:
        lines.append(line)
        yield json.loads(line)


stream = records()


# Returns the values that an answer tells, and the declarations.
def answer():
    values, heads, left, now = {}, {}, None, set()
    for r in stream:
        if r["type"] == "metrics":
            left = r["count"]
        elif r["type"] == "metric":
            heads[r["name"]] = r
            now.add(r["name"])
        elif r["type"] in ("value", "hist") and r["name"] in now:
            values[(r["name"], *r.get("keys", []))] = r
        elif r["type"] == "metric_end":
            now.remove(r["name"])
            if left is not None:
                left -= 1
                if not left:
                    return values, heads
    return values, heads


def call(count):
    for _ in range(count):
        os.sched_get_priority_max(os.SCHED_FIFO)
        os.sched_get_priority_min(os.SCHED_FIFO)


def check(values, total):
    assert values[("calls", me, "max")]["value"] == total, (values, total)
    assert values[("calls", me, "min")]["value"] == total, (values, total)
    sizes, steps = values[("sizes", me)], values[("steps",)]
    # Other programs may make such calls, too; the script's numbers go up with each.
    assert sizes["count"] == total <= steps["count"]
    assert sum(b[2] for b in sizes["buckets"]) == total
    assert steps["scale"] == "linear" and steps["sum"] == sum(range(steps["count"] + 1))
    assert values[("summed", me)]["value"] == 10 * total
    assert values[("last",)]["value"] == steps["count"]


os.write(asks, b"metrics\n")  # before probes are armed, perhaps
first, heads = answer()
assert ("calls", me, "max") not in first, first
assert heads["calls"]["kind"] == "counter" and heads["calls"]["labels"] == ["program", "kind"], heads
assert heads["sizes"]["unit"] == "us" and heads["sizes"]["shape"] == "log", heads
assert heads["steps"]["shape"] == "linear 0 100 25", heads
total = 0
for count in (1, 20, 300):
    call(count)
    total += count
    before = len(lines)
    os.write(asks, b"metrics\n")
    check(answer()[0], total)
call(7)
os.write(asks, b"stop\n")
# The end has no record that says how many values follow: the answer ends with the stream.
check(answer()[0], total + 7)
last = json.loads(lines[-1])
session.wait()
assert session.returncode == 0 and last["type"] == "end" and last["status"] == 0, last
# One answer for each of the four questions, and one at the end.
assert sum('"type":"metric_end"' in line for line in lines) == 5 * 5
refreshes = [json.loads(line) for line in lines if '"type":"refresh"' in line]
assert len(refreshes) == 4 and refreshes[-1]["overhead_ns"] > 0, refreshes
open("records", "w").writelines(lines)
END
run python3 metrics.py "$STAPRUN" _metrics.ko
is_equal 'exit status' $status 0
[ ! -s err ] || ! grep -v '^WARNING: probes take' err || fail "$(cat err)"
if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 "$AREA/../../check_records.py" "$schema" records >/dev/null || fail 'a record is not valid'
fi

# People get no rows of metrics.
run "$STAPRUN" --duration 0.5 _metrics.ko >text 2>err
! grep -a 'CALLS.*KIND\|metric' text || fail "$(cat text)"

# A script that has none.
mkfifo "/tmp/asked.$$"
exec 7<>"/tmp/asked.$$"
"$STAPRUN" --format=json --commands 7 _refresh.ko >json 2>err &
printf 'metrics\n' >&7
eventually 30 grep -q "needs a script with @metric" err
grep -q '"type":"metrics".*"count":0' json || fail "$(cat json)"
printf 'stop\n' >&7
wait_for $!
is_equal 'exit status' $status 0
