#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a tool said with --format=json, a line for each row or histogram, with tabs.

    _records.py FILE TABLE     the rows of a table: their values
    _records.py FILE -         the histograms: keys, count"""
import json
import sys

file, table = sys.argv[1:]
with open(file, encoding="utf-8") as lines:
    records = [json.loads(line) for line in lines]
for record in records:
    if record["type"] == "row" and record["table"] == table:
        print(*record["row"].values(), sep="\t")
    if record["type"] == "hist" and table == "-":
        print(*record.get("keys", []), record["count"], sep="\t")
