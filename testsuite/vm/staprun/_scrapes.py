#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""_scrapes.py WORKER EXPORTER SECONDS PATIENCE TOOL...: makes the worker's rounds by descriptor 9 while Prometheus scrapes, and compares
what Prometheus has stored with the records of the tools (records/TOOL), with their reports at the end, and with counts of the kernel."""
import json
import os
import signal
import sys
import time
import urllib.parse
import urllib.request

worker, exporter, seconds, patience = map(int, sys.argv[1:5])
tools = sys.argv[5:]
BUDGET = 20  # percent of each processor that a tool may take, emulated as it is: as the sessions have it
SCALE = {"us": 10**6, "ns": 10**9, "ms": 10**3}


def say(text):
    print(text, flush=True)


def query(text):
    where = "http://127.0.0.1:9090/api/v1/query?" + urllib.parse.urlencode({"query": text})
    try:
        answer = json.load(urllib.request.urlopen(where, timeout=60))
    except OSError:
        return []
    assert answer["status"] == "success", answer
    return answer["data"]["result"]


def wait_until(condition, what):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, f"not within the time: {what}"
        time.sleep(1)


# Waits for a scrape that begins from now on, after which all scripts are up.
def next_scrape():
    now = time.time()

    def is_there():
        times = query("timestamp(tapir_script_up)")
        return len(times) == len(tools) and all(float(s["value"][1]) > now for s in times) and len(query("tapir_script_up == 1")) == len(tools)
    wait_until(is_there, "a scrape of all tools")


def status_of(pid, field):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise AssertionError(field)


# Reads the counts of the kernel.
def kernel_counts():
    heads, values = [line.split() for line in open("/proc/net/snmp") if line.startswith("Tcp:")]
    disk = [int(n) for n in open("/sys/block/loop0/stat").read().split()]
    switches = status_of(worker, "voluntary_ctxt_switches") + status_of(worker, "nonvoluntary_ctxt_switches")
    return {"resent": int(values[heads.index("RetransSegs")]), "reads": disk[0], "writes": disk[4], "read": disk[2] * 512,
            "written": disk[6] * 512, "switches": switches}


def lines_of(path):
    return open(path).read().count("\n")


wait_until(lambda: len(query("tapir_script_up == 1")) == len(tools), "all tools run")
say(f"all tools run after {time.monotonic():.0f} s")
# The worker's first read(2) began before the probes were there: they do not count its end.
os.write(9, b"x")
wait_until(lambda: lines_of("files/done") == 1, "the first round")
earlier = kernel_counts()
next_scrape()
before, begun, rounds, sizes = kernel_counts(), time.time(), 0, []
# By then all metrics have elements, and the exporter its memory.
until = time.monotonic() + seconds
warm = time.monotonic() + seconds / 4
while time.monotonic() < until or rounds < 5:
    os.write(9, b"x")
    rounds += 1
    wait_until(lambda: lines_of("files/done") == 1 + rounds, "a round")
    if time.monotonic() > warm:
        sizes.append(status_of(exporter, "VmRSS"))
after = kernel_counts()
next_scrape()
sizes.append(status_of(exporter, "VmRSS"))
stored = query('{job="tapir"}[2h]')
later = kernel_counts()
# Each query of the dashboard finds something.
dashboard = json.load(open(f"{os.environ['AREA']}/../../../exporter/dashboard.json", encoding="utf-8"))
asked = [t["expr"].replace("$__rate_interval", "10m").replace("$instance", ".*") for p in dashboard["panels"] for t in p.get("targets", [])]
empty = [text for text in asked if not query(text)]
os.kill(exporter, signal.SIGTERM)
while os.path.exists(f"/proc/{exporter}") and open(f"/proc/{exporter}/stat").read().split()[2] != "Z":
    time.sleep(0.2)

# By the series, the values by their times.
series = {}
for one in stored:
    labels = {k: v for k, v in one["metric"].items() if k not in ("job", "instance")}
    series[frozenset(labels.items())] = {float(t): float(v) for t, v in one["values"]}


def find(name, **labels):
    wanted = {"__name__": name, **labels}.items()
    found = [values for key, values in series.items() if wanted <= key]
    assert len(found) <= 1, (name, labels, found)
    return found[0] if found else {}


def last(name, **labels):
    values = find(name, **labels)
    return values[max(values)] if values else 0


# How much more it is at the end than it was before the load.
def grown(name, **labels):
    values = find(name, **labels)
    before_load = [t for t in values if t < begun]
    return last(name, **labels) - (values[max(before_load)] if before_load else 0)


def family(tool, metric):
    unit = {"us": "seconds", "ns": "seconds", "ms": "seconds", "s": "seconds"}.get(metric.get("unit"), metric.get("unit"))
    name = f"tapir_{tool}_{metric['name']}"
    return name if not unit or name.endswith("_" + unit) else f"{name}_{unit}"


# Returns the answers of a session in their order, each as a dictionary of series, and its other records by type.
def read_session(tool):
    answers, heads, now, left, others = [], {}, {}, 0, {}
    for line in open(f"records/{tool}", encoding="utf-8"):
        r = json.loads(line)
        kind = r["type"]
        if kind == "metrics":
            now, left = {}, r["count"]
        elif kind == "metric":
            heads[r["name"]] = r
        elif kind in ("value", "hist") and left and r["name"] in heads:
            head, name = heads[r["name"]], family(tool, heads[r["name"]])
            scale = SCALE.get(head.get("unit"), 1)
            labels = frozenset(zip(head["labels"], map(str, r.get("keys", []))))
            if head["kind"] == "histogram":
                now[labels | {("__name__", name + "_count")}] = r["count"]
                now[labels | {("__name__", name + "_sum")}] = r["sum"] / scale
            else:
                now[labels | {("__name__", name + "_total")}] = r["value"] / scale
        elif kind == "metric_end" and left:
            left -= 1
            if not left:
                answers.append(now)
        else:
            others.setdefault(kind, []).append(r)
    return answers, others


def is_in(stored_now, answer):
    return all(series_now in answer and answer[series_now] == value for series_now, value in stored_now.items()) and \
        len(stored_now) == len(answer)


# Each scrape has what one answer has, in their order. Returns the numbers of scrapes and of values.
def compare_scrapes(tool, answers):
    times, at, values = sorted(t for t, up in find("tapir_script_up", script=tool).items() if up == 1), 0, 0
    names = {dict(key)["__name__"] for answer in answers for key in answer}
    own = {key: of for key, of in series.items() if dict(key)["__name__"] in names}
    for t in times:
        now = {key: of[t] for key, of in own.items() if t in of}
        values += len(now)
        while at < len(answers) and not is_in(now, answers[at]):
            at += 1
        assert at < len(answers), f"{tool}: no answer of the session has what is stored at {t}: {now}"
    return len(times), values


def rows(others, table):
    return [r["row"] for r in others.get("row", []) if r["table"] == table]


problems = [f"the dashboard asks for {text}, which gives nothing" for text in empty]


def equal(what, actual, expected):
    if actual != expected:
        problems.append(f"{what}: {actual}, not {expected}")


# Compares with a count that is not the tool's. Hits that the budget has left out, in a burst, make estimates of its numbers.
def counted(tool, what, actual, expected):
    if tool not in thinned:
        equal(f"{tool}: {what}", actual, expected)
    elif abs(actual - expected) > max(5, 0.3 * expected):
        problems.append(f"{tool}: {what}: {actual} is far from {expected}, even for an estimate")


ends, thinned = {}, set()
scrapes = values = 0
for tool in tools:
    answers, others = read_session(tool)
    ends[tool] = others
    n, stored_values = compare_scrapes(tool, answers)
    scrapes, values = max(scrapes, n), values + stored_values
    quality = others["quality"][-1]
    ledger = others["ledger"][-1]["ledger"]
    # The exporter's figure, and that of the session.
    share = 100 * last("tapir_overhead_ratio", script=tool)
    whole = 100 * sum(p["overhead_ns"] for p in ledger["probes"]) / (quality["t"] - others["meta"][0]["t"])
    say(f"{tool}: {n} scrapes, {stored_values} values, {quality['hits']} hits, {share:.2f} % of a processor, {whole:.2f} % with its end")
    equal(f"{tool}: hits and records that are lost", (quality["lost_hits"], quality["lost_records"]), (0, 0))
    equal(f"{tool}: balanced", ledger["balanced"], True)
    if quality.get("left_out", 0):
        thinned.add(tool)
        say(f"{tool}: {quality['left_out']} hits were left out")
    if max(share, whole) > BUDGET * os.cpu_count():
        problems.append(f"{tool} takes {share:.2f} or {whole:.2f} % of a processor")

# The reports of the tools.
for row in rows(ends["biolatency"], "latency"):
    equal("biolatency", (last("tapir_biolatency_took_seconds_count", of=row["of"]), last("tapir_biolatency_bytes_total", of=row["of"])),
          (row["requests"], row["total"]))
for row in rows(ends["cachestat"], "cache"):
    equal("cachestat", [last(f"tapir_cachestat_{n}_pages_total", of=row["of"]) for n in ("added", "dirtied")], [row["missed"], row["dirtied"]])
for row in rows(ends["ctxsw"], "switches"):
    equal("ctxsw", [last(f"tapir_ctxsw_{n}_total", of=row["of"]) for n in ("switches", "forced")], [row["switches"], row["involuntary"]])
for row in rows(ends["fsdist"], "operations"):
    equal("fsdist", last("tapir_fsdist_took_seconds_count", file_system=row["file_system"], operation=row["operation"]), row["calls"])
for row in rows(ends["runqlat"], "waits"):
    equal("runqlat", (last("tapir_runqlat_took_seconds_count", of=row["of"]), last("tapir_runqlat_took_seconds_sum", of=row["of"])),
          (row["waits"], row["total"] / 10**6))
for row in rows(ends["syscount"], "calls"):
    equal("syscount", (last("tapir_syscount_took_seconds_count", of=row["of"]), last("tapir_syscount_bad_total", of=row["of"])),
          (row["calls"], row["failed"]))
equal("syserr", sum(r["failed"] for r in rows(ends["syserr"], "errors")),
      sum(of[max(of)] for key, of in series.items() if ("__name__", "tapir_syserr_hits_total") in key))
# A row for each, at any time: the kernel may send something of Prometheus' own again, after the last scrape, too.
again = 0
for line in open("records/tcpretrans", encoding="utf-8"):
    record = json.loads(line)
    again += record["type"] == "row"
    if record["type"] == "value" and "value" in record:
        equal("tcpretrans", record["value"], again)
for row in rows(ends["tcprtt"], "trips"):
    equal("tcprtt", last("tapir_tcprtt_trip_seconds_count", of=row["of"]), row["segments"])
# It looks on after the last scrape.
[machine] = rows(ends["runqlen"], "machine")
if not 0 < last("tapir_runqlen_looks_total") <= machine["looks"]:
    problems.append(f"runqlen: {last('tapir_runqlen_looks_total')} looks, and {machine['looks']} at the end")

# Counts of the program that makes the load, and of the kernel.
counted("syserr", "calls", grown("tapir_syserr_hits_total", program="worker", process=str(worker), call="openat", error="2"), 10 * rounds)
counted("syscount", "getppid", grown("tapir_syscount_took_seconds_count", of="getppid"), 7 * rounds)
for operation, each in (("write", 6), ("read", 6), ("fsync", 5), ("open", 1)):
    counted("fsdist", operation, grown("tapir_fsdist_took_seconds_count", file_system="tmpfs", operation=operation), each * rounds)
for metric in ("added", "dirtied"):
    counted("cachestat", metric, grown(f"tapir_cachestat_{metric}_pages_total", of="all programs"), rounds)
done = {name: after[name] - before[name] for name in before}
equal("requests of the disk", (done["reads"], done["writes"]), (rounds, rounds))
for kind, count, size in (("read", "reads", "read"), ("write", "writes", "written")):
    counted("biolatency", kind, grown("tapir_biolatency_took_seconds_count", of=f"loop0 {kind}"), done[count])
    counted("biolatency", f"bytes of a {kind}", grown("tapir_biolatency_bytes_total", of=f"loop0 {kind}"), done[size])
# As above: some may have been sent again between a scrape and a look at the kernel's count.
resent = grown("tapir_tcpretrans_resent_total")
if not done["resent"] <= resent <= later["resent"] - earlier["resent"]:
    problems.append(f"tcpretrans: {resent} segments, of the kernel's {done['resent']} to {later['resent'] - earlier['resent']}")
counted("ctxsw", "switches", grown("tapir_ctxsw_switches_total", of=f"worker({worker})"), done["switches"])
if done["resent"] < rounds / 2 or not rows(ends["tcprtt"], "trips"):
    problems.append(f"the load was none: {done}")
say(f"{rounds} rounds in {seconds} s, {scrapes} scrapes, {values} values of tools, {len(series)} series; the exporter had {min(sizes)} to {max(sizes)} kB")
if max(sizes) - min(sizes) > 1024:
    problems.append(f"the exporter's memory is not flat: {sizes}")
if problems:
    sys.exit("\n".join(problems))
