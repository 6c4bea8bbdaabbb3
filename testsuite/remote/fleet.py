#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records of many hosts, and what has to come of them.

    fleet.py make DIR HOSTS ROWS SEED    writes DIR/HOST.records for each host: what it tells between "meta" and "end"
    fleet.py judge DIR REPORT            adds these files up by itself, and compares the records of --merge with that
    fleet.py stacks DIR FOLDED           compares stacks that stap-report made of a capture of --merge with these files
    fleet.py hosts REPORT                what the records of --merge say of each host that is not as it should be

The judge knows the records by docs/output.md and docs/fleets.md, and has nothing of the program that merges."""
import collections
import json
import os
import random
import sys

COLUMNS = [
    {"name": "device", "unit": "name"},
    {"name": "queue", "unit": "id"},
    {"name": "requests"},
    {"name": "average", "unit": "us", "subject": "a request"},
    {"name": "p99", "unit": "us", "subject": "a request"},
    {"name": "worst", "unit": "us", "subject": "a request"},
    {"name": "least", "unit": "us", "subject": "a request"},
    {"name": "total", "unit": "us", "subject": "all requests"},
    {"name": "took", "unit": "us"},
    {"name": "busy", "unit": "%"},
]
QUALITIES = ["hits", "lost_hits", "errors", "lost_records", "cut_texts", "walks", "complete_walks", "refused_stacks", "lost_samples"]
MOST = 2**63 - 1


def clipped(number):
    return max(-MOST - 1, min(MOST, number))


def towards_zero(a, b):
    return abs(a) // b if a >= 0 else -(abs(a) // b)


def stack_of(dice, number):
    frames = [{"in": "kernel", "name": "schedule", "address": dice.randrange(2**63)}] if dice.random() < 0.3 else []
    for _ in range(dice.randrange(2, 12)):
        function = dice.randrange(40)
        frames.append({"in": "file", "name": f"work{function}", "object": "/usr/bin/server", "build_id": "0123abcd",
                       "offset": 4096 + function * 16 + dice.randrange(16), "returns": True})
    return {"type": "stack", "stack": number, "user_end": "complete", "frames": frames}


def told_by(dice, host, rows):
    yield {"type": "table", "name": "disks", "columns": COLUMNS}
    for _ in range(rows):
        count = dice.randrange(0, 1000)
        average = dice.randrange(1, 5000)
        yield {"type": "row", "table": "disks", "row": {
            "device": f"disk{dice.randrange(60)}", "queue": dice.randrange(4), "requests": count,
            "average": average if count else None, "p99": average * 3, "worst": average * dice.randrange(3, 9),
            "least": average // 7, "total": average * count, "took": dice.randrange(1, 10**6), "busy": dice.randrange(101)}}
    yield {"type": "value", "name": "reads", "value": dice.randrange(1000, 2000)}
    yield {"type": "value", "name": "huge", "value": dice.randrange(2**62, 2**63)}
    yield {"type": "value", "name": "version", "value": dice.choice(["one", "two"])}
    for _ in range(rows // 4):
        call = dice.choice(["read", "write", "caf\u00e9", 'quo"te'])
        yield {"type": "value", "name": "calls", "keys": [call, dice.randrange(20)], "value": dice.randrange(-5, 10**6)}
    samples = [dice.randrange(-10**12, 10**12) for _ in range(dice.randrange(0, 5))]
    yield {"type": "value", "name": "took", "count": len(samples)} | ({
        "sum": sum(samples), "min": min(samples), "avg": towards_zero(sum(samples), len(samples)), "max": max(samples)} if samples else {})
    buckets = sorted(dice.sample(range(20), 8))
    counts = [dice.randrange(1, 10**9) for _ in buckets]
    yield {"type": "hist", "name": "sizes", "unit": "bytes", "scale": "log", "count": sum(counts), "min": 2**buckets[0],
           "max": 2**buckets[-1], "sum": sum(c * 2**b for c, b in zip(counts, buckets)),
           "buckets": [[2**b, 2**(b + 1) - 1, c] for c, b in zip(counts, buckets)]}
    yield {"type": "print", "text": "a line of all hosts\n"}
    yield {"type": "print", "text": f"a line of {host}\n"}
    yield {"type": "quality", "complete": False} | {name: dice.randrange(1000) for name in QUALITIES}
    taken = [(stack_of(dice, n + 1), dice.randrange(1, 50), dice.randrange(10**6)) for n in range(rows // 4)]
    yield {"type": "profile", "title": "CPU time", "unit": "us", "clock": "soft", "hz": 97, "samples": sum(c for _, c, _ in taken)}
    for stack, count, total in taken:
        yield stack
        yield {"type": "sample", "stack": stack["stack"], "count": count, "sum": total}


def make(directory, hosts, rows, seed):
    for number in range(hosts):
        host = f"web{number:04}"
        dice = random.Random(f"{seed} {number}")
        with open(os.path.join(directory, host + ".records"), "w", encoding="utf-8") as file:
            for at, record in enumerate(told_by(dice, host, rows)):
                record = {"v": 1, "type": record.pop("type"), "t": 1000000 + at} | record
                file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


class Sums:
    """What all files tell together."""

    def __init__(self):
        self.columns = collections.defaultdict(list)  # (keys, column): [(number, weight)]
        self.row_hosts = collections.defaultdict(set)
        self.values = collections.defaultdict(int)
        self.value_hosts = collections.defaultdict(set)
        self.statistics = {}
        self.buckets = collections.Counter()
        self.histogram = collections.Counter()
        self.ends = []
        self.texts = collections.defaultdict(set)
        self.qualities = collections.Counter()
        self.stacks = collections.defaultdict(lambda: [0, 0])

    def add(self, host, record, known):
        kind = record["type"]
        if kind == "row":
            self.add_row(host, record["row"])
        elif kind == "value" and "value" in record:
            text = (record["value"],) if isinstance(record["value"], str) else ()
            key = (record["name"], *record.get("keys", ()), *text)
            self.values[key] += 0 if text else record["value"]
            self.value_hosts[key].add(host)
        elif kind == "value":
            old = self.statistics.setdefault(record["name"], {"count": 0, "sum": 0, "mins": [], "maxs": []})
            old["count"] += record["count"]
            if record["count"]:
                old["sum"] += record["sum"]
                old["mins"].append(record["min"])
                old["maxs"].append(record["max"])
        elif kind == "hist":
            self.histogram.update(count=record["count"], sum=record["sum"])
            self.ends += [record["min"], record["max"]]
            for least, largest, count in record["buckets"]:
                self.buckets[least, largest] += count
        elif kind == "print":
            self.texts[record["text"]].add(host)
        elif kind == "quality":
            self.qualities.update({name: record[name] for name in QUALITIES})
        elif kind == "stack":
            known[record["stack"]] = tuple((f["in"], f["name"]) for f in record["frames"])
        elif kind == "sample":
            sums = self.stacks[known[record["stack"]]]
            sums[0] += record["count"]
            sums[1] += record["sum"]

    def add_row(self, host, row):
        keys = (row["device"], row["queue"])
        self.row_hosts[keys].add(host)
        for column in ("requests", "average", "p99", "worst", "least", "total", "took", "busy"):
            weighed = column in ("average", "busy")
            if row[column] is not None and (row["requests"] or not weighed):
                self.columns[keys, column].append((row[column], row["requests"] if weighed else 1))

    def row(self, keys):
        def pick(column, what):
            told = self.columns.get((keys, column))
            return None if not told else what([n for n, _ in told])

        def mean(column):
            told = self.columns.get((keys, column))
            return None if not told else sum(n * w for n, w in told) // sum(w for _, w in told)

        return {"device": keys[0], "queue": keys[1], "requests": pick("requests", sum), "average": mean("average"),
                "p99": pick("p99", max), "worst": pick("worst", max), "least": pick("least", min), "total": pick("total", sum),
                "took": mean("took"), "busy": mean("busy")}


def equal(what, is_, should):
    if is_ != should:
        sys.exit(f"{what}: {is_!r}, not {should!r}")


def add_files(directory):
    sums = Sums()
    for name in sorted(os.listdir(directory)):
        known = {}
        if name.endswith(".records"):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                for line in file:
                    sums.add(name, json.loads(line), known)
    return sums


def judge(directory, report):
    sums = add_files(directory)
    seen = collections.Counter()
    stacks, told = {}, collections.defaultdict(lambda: [0, 0])
    with open(report, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    for record in records:
        kind = record["type"]
        seen[kind] += 1
        if kind == "row":
            keys = (record["row"]["device"], record["row"]["queue"])
            equal(f"the row of {keys}", record["row"], sums.row(keys))
            equal(f"the hosts of {keys}", record["hosts"], len(sums.row_hosts[keys]))
        elif kind == "value" and "value" in record:
            text = (record["value"],) if isinstance(record["value"], str) else ()
            key = (record["name"], *record.get("keys", ()), *text)
            equal(f"the hosts of {key}", record["hosts"], len(sums.value_hosts[key]))
            if not text:
                equal(f"the value of {key}", record["value"], clipped(sums.values[key]))
                equal(f"overflow of {key}", record.get("overflowed", False), abs(sums.values[key]) > MOST)
        elif kind == "value":
            old = sums.statistics[record["name"]]
            equal("the statistic", [record[m] for m in ("count", "sum", "min", "avg", "max")],
                  [old["count"], old["sum"], min(old["mins"]), towards_zero(old["sum"], old["count"]), max(old["maxs"])])
        elif kind == "hist":
            equal("the histogram", (record["count"], clipped(record["sum"])),
                  (sums.histogram["count"], clipped(sums.histogram["sum"])))
            equal("its ends", (record["min"], record["max"]), (min(sums.ends), max(sums.ends)))
            equal("its buckets", {(a, b): n for a, b, n in record["buckets"]}, dict(sums.buckets))
        elif kind == "print":
            equal(f"the hosts of {record['text']!r}", record["hosts"], len(sums.texts[record["text"]]))
        elif kind == "quality":
            equal("the quality", {name: record[name] for name in QUALITIES}, dict(sums.qualities))
        elif kind == "stack":
            stacks[record["stack"]] = tuple((f["in"], f["name"]) for f in record["frames"])
        elif kind == "sample":
            told[stacks[record["stack"]]][0] += record["count"]
            told[stacks[record["stack"]]][1] += record["sum"]
    equal("the samples", dict(told), dict(sums.stacks))
    equal("rows", seen["row"], len(sums.row_hosts))
    equal("values", seen["value"], len(sums.values) + len(sums.statistics))
    equal("kinds", (seen["hist"], seen["quality"], seen["end"], seen["fleet"]), (1, 1, 1, 1))
    if seen["print"] < len(sums.texts):
        equal("lines", seen["print"], 1000)
    print(f"good: {seen['row']} rows, {seen['value']} values, {seen['stack']} stacks")


def judge_stacks(directory, folded):
    sums = add_files(directory)
    should = collections.Counter()
    for frames, (_, total) in sums.stacks.items():
        should[";".join(name for _, name in reversed(frames))] += total
    told = collections.Counter()
    with open(folded, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                stack, number = line.rstrip("\n").rsplit(" ", 1)
                told[stack] += int(number)
    equal("the stacks", dict(told), {stack: total for stack, total in should.items() if total})
    print(f"good: {len(told)} stacks")


def say_hosts(report):
    with open(report, encoding="utf-8") as file:
        for record in map(json.loads, file):
            if record["type"] != "host":
                continue
            said = [record["problem"]] if record.get("problem") else []
            if record.get("bad_lines"):
                said.append(f"{record['bad_lines']} bad lines")
            # The clock is off by so much at least, and surely on that side.
            least, most = record.get("clock_ahead", (0, 0))
            surely = least if least > 0 else most if most < 0 else 0
            if abs(surely) >= 10**9:
                said.append(f"clock {'ahead' if surely > 0 else 'behind'} by {round(abs(surely) / 3600e9, 1)} h")
            if record.get("clock_set"):
                said.append(f"clock set by {round(record['clock_set'] / 3600e9, 1)} h")
            if said:
                print(f"{record['remote']}: {'; '.join(said)}")


def main():
    if sys.argv[1:2] == ["make"] and len(sys.argv) == 6:
        return make(sys.argv[2], *(int(word) for word in sys.argv[3:]))
    if sys.argv[1:2] == ["judge"] and len(sys.argv) == 4:
        return judge(*sys.argv[2:])
    if sys.argv[1:2] == ["stacks"] and len(sys.argv) == 4:
        return judge_stacks(*sys.argv[2:])
    if sys.argv[1:2] == ["hosts"] and len(sys.argv) == 3:
        return say_hosts(sys.argv[2])
    sys.exit(__doc__)


main()
