#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""session.py COUNT FILE [STATUS]: plays a session of stap, which ends after COUNT questions, or by a signal. FILE has its own last values."""
import json
import os
import signal
import sys
import time

most, own = int(sys.argv[1]), sys.argv[2]
asked = 0


def put(record, /, **members):
    print(json.dumps({"v": 1, "type": record, "t": time.monotonic_ns(), **members}), flush=True)


def metric(name, kind, values, **members):
    put("metric", name=name, kind=kind, help=f"The {name}", **members)
    for value in values:
        put("hist" if kind == "histogram" else "value", name=name, **value)
    put("metric_end", name=name)


def tell():
    put("refresh", hits=100 * asked, lost_hits=asked, errors=0, lost_records=2 * asked, overhead_ns=1500 * asked)
    put("metrics", count=4)
    metric("reads_total", "counter", [{"keys": ["a \"quoted\" \\ name", 7], "value": 3 * asked}, {"keys": ["b", -1], "value": asked}],
           labels=["program", "kind"])
    metric("depth", "gauge", [{"value": -asked}], labels=[])
    metric("busy", "counter", [{"value": 17 * asked}], labels=[], unit="us")
    metric("took", "histogram", [{"keys": ["sda"], "unit": "us", "scale": "log", "count": 6 * asked, "sum": 1200012 * asked,
                                  "buckets": [[0, 0, asked], [4, 7, 3 * asked], [1024, 2047, 2 * asked]]}],
           labels=["disk"], unit="us", shape="log")
    with open(own + ".new", "w", encoding="ascii") as file:
        for line in (f'tapir.played.reads{{program=a "quoted" \\ name,kind=7}} {3 * asked}',
                     f"tapir.played.reads{{program=b,kind=-1}} {asked}", f"tapir.played.depth{{}} {-asked}",
                     f"tapir.played.busy{{}} {17 * asked / 1e6:g}",
                     f"tapir.played.took_bucket{{disk=sda,le=0}} {asked}", f"tapir.played.took_bucket{{disk=sda,le=0.000007}} {4 * asked}",
                     f"tapir.played.took_bucket{{disk=sda,le=0.001023}} {4 * asked}",
                     f"tapir.played.took_bucket{{disk=sda,le=0.002047}} {6 * asked}", f"tapir.played.took_bucket{{disk=sda,le=+Inf}} {6 * asked}",
                     f"tapir.played.took_count{{disk=sda}} {6 * asked}", f"tapir.played.took_sum{{disk=sda}} {1200012 * asked / 1e6:g}",
                     f"tapir.hits{{script=played}} {100 * asked}", f"tapir.lost{{script=played,what=records}} {2 * asked}"):
            print(line, file=file)
    os.rename(own + ".new", own)


class Over(Exception):
    pass


def end(*_):
    raise Over


signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGINT, end)
put("meta", module="player", kernel="6.1", host="here", started=time.time_ns())
put("print", text="the script begins\n")
print("not a record", flush=True)
try:
    for line in os.fdopen(int(os.environ["TAPIR_LIVE"])) if most else ():
        assert line == "metrics\n", line
        asked += 1
        tell()
        if asked == most:
            break
except Over:
    pass
asked += 1
tell()
put("print", text="the script ends \u00e4\n", latin1=True)
put("end", status=0)
sys.exit(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
