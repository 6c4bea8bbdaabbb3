#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_records.py SCHEMA FILE...: checks files of the output of --format=json, and prints what a case compares.

Each line is one object, has no name twice, and is as the schema says. Times do not decrease. The first record is "meta", the last "end".
Prints a line for each record: its type, and what is in it apart from times, CPUs and what differs from machine to machine.
"""
import json
import os
import sys

import jsonschema

VARIES = {"v", "type", "t", "cpu", "clock"}
# The schema is asked for so many records of a file, then for one in a hundred, since it takes a millisecond.
EACH = int(os.environ.get("RECORDS_ASKED", "5000"))


class Wrong(Exception):
    pass


def no_name_twice(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise Wrong(f"a name is there twice: {names}")
    return dict(pairs)


def check(validator, path):
    last, records = 0, []
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            if not line.endswith("\n"):
                raise Wrong(f"a line is cut: {line}")
            try:
                record = json.loads(line, object_pairs_hook=no_name_twice)
            except json.JSONDecodeError as error:
                raise Wrong(f"{line}is no JSON: {error}") from None
            asked = len(records) < EACH or len(records) % 100 == 0
            for error in validator.iter_errors(record) if asked else ():
                raise Wrong(f"{line}is not valid: {error.message}")
            if record["t"] < last:
                raise Wrong(f"{line}is older than the record before it")
            last = record["t"]
            records.append(record)
    if not records or [records[0]["type"], records[-1]["type"]] != ["meta", "end"]:
        raise Wrong("the first record is not meta, or the last is not end")
    for record in records:
        if record["type"] in ("meta", "ledger", "quality"):
            print(record["type"])
        else:
            rest = {name: value for name, value in record.items() if name not in VARIES}
            print(record["type"], json.dumps(rest, sort_keys=True))
    losses, ledger = {}, {}
    for record in records:
        if record["type"] == "loss":
            losses[record["what"]] = losses.get(record["what"], 0) + record["count"]
        if record["type"] == "ledger":
            ledger = record["ledger"]
    dropped = sum(stream["records"]["dropped"] for stream in ledger.get("streams", []) if stream["stream"] != "control")
    print("lost", losses.get("output", 0), "of", dropped)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sys.argv[2:]:
        try:
            check(validator, path)
        except Wrong as what:
            sys.exit(f"{path}: {what}")


main()
