#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a tool said with --format=json, a line for each row or histogram, with tabs: _rows.py <OUT

Rows are the name of their table and their values, None where one is not known. Histograms are "-", their keys and their count."""
import json
import sys

for line in sys.stdin:
    record = json.loads(line)
    if record["type"] == "row":
        print(record["table"], *record["row"].values(), sep="\t")
    if record["type"] == "hist":
        print("-", *record.get("keys", []), record["count"], sep="\t")
