#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""caught.py RECORDS LOG REQUEST: fails unless that request fired the trigger, with its stack and the events of the log, no more and no less."""
import json
import sys

records = [json.loads(line) for line in open(sys.argv[1]) if line.startswith("{")]
logged = open(sys.argv[2]).read().splitlines()
slow = int(sys.argv[3])

recalled, stack, found = [], "", False
for record in records:
    if record["type"] == "trigger":
        if found:
            break
        recalled, stack = [], ""
        found = record["name"] == "slow" and record["args"][0] == slow
    elif record["type"] == "recall":
        recalled.append(record)
    elif record["type"] == "print" and found:
        stack += record["text"]
problems = [] if found else [f"request {slow} did not fire the trigger"]
if [r["text"] for r in recalled] != logged[-len(recalled) :] or len(recalled) != min(100, len(logged)):
    problems.append(f"{len(recalled)} events are not the {len(logged)} of the log")
times = [r["at"] for r in recalled]
if times != sorted(times):
    problems.append("the events' times are not in their order")
if "ask_backend" not in stack or "main" not in stack:
    problems.append("the stack has no ask_backend")
quality = [r for r in records if r["type"] == "quality"]
if not quality or quality[0]["lost_events"]:
    problems.append("events are lost")
print("\n".join(problems))
sys.exit(bool(problems))
