# SPDX-License-Identifier: GPL-2.0-or-later
# --monitor: records tell probes with their hits, and globals with their values. A probe that is switched off is hit no more, and a
# global that is reset counts from its first value; the counts are those of the program that makes the calls.
#: scripts: _monitor.stp
#: stap: --monitor
#: long: Python is slow in a guest
#: requires: program python3
#: timeout: 300
. "$AREA/_common.sh"

cat >monitor.py <<'END'
import json, os, subprocess, sys

staprun, module = sys.argv[1:]
reads, asks = os.pipe()
session = subprocess.Popen([staprun, "--format=json", "--refresh", "0.2", "--commands", str(reads), module],
                           pass_fds=[reads], stdout=subprocess.PIPE, stderr=open("err", "w"), text=True)
os.close(reads)
records, probes, states, values, resets, refreshes = [], {}, {}, {}, [], 0


def read():
    global refreshes
    line = session.stdout.readline()
    assert line, "the session has ended: " + open("err").read()
    r = json.loads(line)
    records.append(line)
    if r["type"] == "probe":
        probes[r["index"]] = r
    elif r["type"] == "global":
        states[r["name"]] = r
    elif r["type"] == "value":
        values[(r["name"], *r.get("keys", []))] = r.get("value", r.get("sum", 0))
    elif r["type"] == "row" and r["row"].get("keys"):
        for key in [k for k in values if k[0] == r["row"]["name"]]:
            del values[key]
    elif r["type"] == "reset":
        resets.append(r["name"])
    refreshes += r["type"] == "refresh"
    return r


def until(condition):
    while not condition():
        read()


# Two whole intervals: what was told before them is in the records.
def settle():
    until(lambda seen=refreshes: refreshes >= seen + 3)


def ask(line):
    os.write(asks, line.encode() + b"\n")


def call(count):
    for _ in range(count):
        os.sched_get_priority_max(os.SCHED_FIFO)
        os.sched_get_priority_min(os.SCHED_FIFO)


def hits(index):
    return probes[index]["probe"]["hits"]


settle()
points = {i: p["probe"]["point"] for i, p in probes.items()}
most, least = (next(i for i, p in points.items() if "priority_" + which in p) for which in ("max", "min"))
assert len(points) == 3 and "__refresh" not in str(points), points
assert hits(most) == hits(least) == 0 and all(p["on"] for p in probes.values())

call(25)
settle()
assert hits(most) == hits(least) == 25, probes
assert values[("calls",)] == 25 and values[("by", "python3", 3)] == 25 and values[("sizes",)] == 75, values
assert values[("word",)] == "python3" and values[("fixed",)] == 3
assert states["by"]["elements"] == 1 and states["by"]["keys"] == 2 and states["by"]["of"] == "number", states
assert states["sizes"]["kind"] == "statistic" and states["word"]["kind"] == "text" and states["calls"]["kind"] == "number"
assert not states["fixed"]["resets"] and not states["on"]["resets"] and states["calls"]["resets"] and states["by"]["resets"]

# One of them, off. The handler of the other runs.
ask(f"probe {most} off")
until(lambda: not probes[most]["on"])
call(25)
settle()
assert hits(most) == 25 and hits(least) == 50, probes
assert values[("calls",)] == 25 and values[("least",)] == 50

# On again. The session arms it a little later.
ask(f"probe {most} on")
until(lambda: probes[most]["on"])
before = hits(most)
while hits(most) == before:
    call(1)
    settle()
armed, other = hits(most), hits(least)
call(25)
settle()
assert hits(most) == armed + 25 and hits(least) == other + 25, probes
assert values[("calls",)] == hits(most) == values[("by", "python3", 3)], values

# The script's own condition holds, too.
ask("set on=0")
until(lambda: read()["type"] == "set")
settle()
other = hits(least)
call(25)
settle()
assert hits(least) == other and probes[least]["on"]
ask("set on=1")
until(lambda: read()["type"] == "set")

# Reset globals count again; the rest goes on.
total = values[("sizes",)]
for name in ("calls", "by", "word"):
    ask("reset " + name)
until(lambda: resets == ["calls", "by", "word"])
until(lambda: values[("calls",)] == 0 and values[("word",)] == "none" and ("by", "python3", 3) not in values)
settle()
assert values[("sizes",)] == total and states["by"]["elements"] == 0
call(10)
settle()
assert values[("calls",)] == 10 and values[("by", "python3", 3)] == 10 and values[("sizes",)] == total + 30, values
assert values[("word",)] == "python3" and values[("fixed",)] == 3 and states["by"]["elements"] == 1
ask("reset")
until(lambda: values[("calls",)] == 0 and values[("sizes",)] == 0 and values[("least",)] == 0)
assert sorted(resets[3:]) == ["by", "calls", "least", "sizes", "word"], resets

ask("probes off")
until(lambda: not any(p["on"] for p in probes.values()))
settle()
before = {i: hits(i) for i in probes}
call(25)
settle()
assert before == {i: hits(i) for i in probes}, "a probe is hit that is off"
for wrong in ("probe 99 off", "probe 0 perhaps", "probes", "probes perhaps", "reset fixed", "reset nothing"):
    ask(wrong)
ask("stop")
rest = session.stdout.readlines()
assert session.wait() == 0 and json.loads(rest[-1])["type"] == "end"
rows = json.loads(next(line for line in rest if '"type":"ledger"' in line))["ledger"]
assert rows["balanced"], rows
assert {p["point"]: p["hits"] for p in rows["probes"]}[points[most]] == hits(most)
# Some of each kind, since the schema takes its time.
kinds, some = {}, []
for line in records + rest:
    r = json.loads(line)
    kinds.setdefault(r["type"], []).append(r)
    if len(kinds[r["type"]]) <= 3:
        some.append(line)
open("json", "w").writelines(some)
assert kinds["refresh"][0]["module_bytes"] > 4096 and {"probe", "global", "reset"} < kinds.keys()
assert json.loads(records[0])["staprun"] == session.pid
END
run python3 monitor.py "$STAPRUN" _monitor.ko >out 2>&1
is_equal "monitor.py: $(cat out)" $status 0
for warning in 'probe 99 is not switched: the script has none of this index' "'probe 0 perhaps' is not understood" \
    "there is no command 'probes'" "'probes perhaps' is not understood" "'fixed' is not reset" "'nothing' is not reset"; do
    grep -qF "$warning" err || fail "$warning: $(cat err)"
done
if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 "$AREA/../../check_records.py" "$AREA/../../../docs/output.schema.json" json >/dev/null || fail 'a record is not valid'
fi
