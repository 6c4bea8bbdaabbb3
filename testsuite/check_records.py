#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_records.py SCHEMA FILE [TEXT]: checks the output of --format=json, and prints what a case compares.

Each line is one object, has no name twice, and is as the schema says. Times do not decrease. The first record is "meta", the last "end".
Prints a line for each record: its type, and what is in it apart from times, CPUs and what differs from machine to machine.
Writes the output of the text format, made of the records, to the file TEXT, unless there are tables or histograms, of which
records do not tell the layout.
"""
import json
import sys

import jsonschema

VARIES = {"v", "type", "t", "cpu", "clock"}
EACH = 5000  # of a file's records the schema is asked for; then for one in a hundred, since it takes a millisecond


def no_name_twice(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        sys.exit(f"a name is there twice: {names}")
    return dict(pairs)


def quoted(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


def text_of(record):
    """The bytes that the text format has for a record; None: it has a layout of its own."""
    if record["type"] in ("hist", "table", "row"):
        return None
    text = record["text"] if record["type"] == "print" else ""
    if record["type"] == "value":
        text = record["name"] + (f"[{','.join(quoted(key) for key in record['keys'])}]" if "keys" in record else "")
        if "value" in record:
            text += "=" + quoted(record["value"])
        for part in ("count", "min", "max", "sum", "avg"):
            text += f" @{part}={record[part]}" if part in record else ""
        text += "\n"
    return text.encode("latin-1" if record.get("latin1") else "utf-8")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    last, records = 0, []
    with open(sys.argv[2], encoding="utf-8", newline="\n") as file:
        for line in file:
            if not line.endswith("\n"):
                sys.exit(f"a line is cut: {line}")
            record = json.loads(line, object_pairs_hook=no_name_twice)
            asked = len(records) < EACH or len(records) % 100 == 0
            for error in validator.iter_errors(record) if asked else ():
                sys.exit(f"{line}is not valid: {error.message}")
            if record["t"] < last:
                sys.exit(f"{line}is older than the record before it")
            last = record["t"]
            records.append(record)
    if [records[0]["type"], records[-1]["type"]] != ["meta", "end"]:
        sys.exit("the first record is not meta, or the last is not end")
    texts = [text_of(record) for record in records]
    if len(sys.argv) > 3 and None not in texts:
        with open(sys.argv[3], "wb") as file:
            file.write(b"".join(texts))
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


main()
