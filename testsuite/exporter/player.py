#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stands in for stap: plays a session that answers questions. The last word chooses what it does."""
import json
import os
import sys
import time

play = os.path.basename(sys.argv[-1])


def put(record, /, **members):
    print(json.dumps({"v": 1, "type": record, "t": time.monotonic_ns(), **members}), flush=True)


def metric(name, kind, values, **members):
    put("metric", name=name, kind=kind, help=f"The {name}", **members)
    for value in values:
        put("hist" if kind == "histogram" else "value", name=name, **value)
    put("metric_end", name=name)


assert "--format=json" in sys.argv and "--metrics" in sys.argv, sys.argv
if play == "fails.stp":
    print("parse error: nothing is right", file=sys.stderr)
    sys.exit(1)
put("meta", module="player", kernel="6.1", host="here", started=time.time_ns())
asked = 0
for line in os.fdopen(int(os.environ["TAPIR_LIVE"])):
    assert line == "metrics\n", line
    asked += 1
    put("refresh", hits=100 * asked, lost_hits=asked, errors=0, lost_records=2 * asked, overhead_ns=1000 * asked)
    put("metrics", count=3)
    if play == "silent.stp" and asked > 1:
        continue
    if play == "garbage.stp":
        os.write(1, b"\xff\xfe not a record\n{\"v\":1,\"type\":\"metric\"}\n" + b"{" * 5000 + b"\n")
    count = 2000 if play == "many.stp" else 2
    # A program of any name.
    keys = [["a \"quoted\" \\ name\nof two lines \x01", i] for i in range(count)]
    metric("reads", "counter", [{"keys": k, "value": asked * (k[1] + 1)} for k in keys], labels=["program", "kind"])
    metric("depth", "gauge", [{"value": -asked}], labels=[])
    metric("took", "histogram", [{"keys": ["sda"], "unit": "us", "scale": "log", "count": 3 * asked, "sum": 1200 * asked,
                                  "buckets": [[0, 0, asked], [4, 7, asked], [1024, 2047, asked]]}],
           labels=["disk"], unit="us", shape="log")
    if play == "ends.stp" and asked == 2:
        break
