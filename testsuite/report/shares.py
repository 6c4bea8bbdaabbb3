#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""shares.py BIN: compares `stap-report --format=json` of known captures with what their folded stacks add up to.

Each file is valid by docs/report.schema.json. Shares of functions and of patterns are those of the folded format; where samples are
counted, intervals are those of Wilson's formula.
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("needs python3-jsonschema")
    sys.exit(77)

BIN = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
PATTERNS = ["^mem", "main|memcpy", "nothing at all"]


def report(capture, *options):
    return subprocess.run([BIN / "stap-report", capture, "--accept-partial", *options], check=True, capture_output=True, text=True).stdout


def wilson(k, n):
    """As k of n is usually written, with the number of hits, not with the share."""
    z = 1.959963984540054
    root = z * math.sqrt(k * (n - k) / n + z * z / 4)
    return (k + z * z / 2 - root) / (n + z * z), (k + z * z / 2 + root) / (n + z * z)


def close(what, have, want):
    if abs(have - want) > 1e-6:
        sys.exit(f"{what} is {have}, not {want}")


def check_share(what, share, value, total, counted):
    if share["value"] != value:
        sys.exit(f"{what} is {share['value']}, not {value}")
    close(what, share["share"], value / total)
    if not share["low"] <= share["share"] <= share["high"]:
        sys.exit(f"{what}: the share is outside of its interval")
    if counted:
        low, high = wilson(value, total)
        close(what + ": low", share["low"], max(low, 0))
        close(what + ": high", share["high"], min(high, 1))


def sums(stacks, fits):
    """Of the stacks that end in a frame that fits, and of those with any."""
    return (sum(value for frames, value in stacks if fits(frames[-1])),
            sum(value for frames, value in stacks if any(map(fits, frames))))


def check(name, directory, validator):
    capture = directory / name
    subprocess.run([BIN / "make_capture", name, capture], check=True)
    shares = json.loads(report(capture, "--format=json", *(f"--match={pattern}" for pattern in PATTERNS)))
    validator.validate(shares)
    stacks = []
    for line in report(capture, "--format=folded").splitlines():
        if not line.startswith("#"):
            frames, value = line.rsplit(" ", 1)
            stacks.append((frames.split(";"), int(value)))
    total, counted = sum(value for _, value in stacks), shares["unit"] == "samples"
    if shares["value"] != total:
        sys.exit(f"{name}: the total is {shares['value']}, not {total}")
    names = [function["name"] for function in shares["functions"]]
    for function in shares["functions"]:
        if names.count(function["name"]) > 1:  # in several files
            continue
        self, all_of_it = sums(stacks, lambda frame, wanted=function["name"]: frame == wanted)
        check_share(f"{name}: self of {function['name']}", function["self"], self, total, counted)
        check_share(f"{name}: total of {function['name']}", function["total"], all_of_it, total, counted)
    if {frame for frames, _ in stacks for frame in frames} != set(names):
        sys.exit(f"{name}: the functions are {names}")
    for match, pattern in zip(shares["matches"], PATTERNS):
        self, all_of_it = sums(stacks, re.compile(pattern).search)
        check_share(f"{name}: self of {pattern}", match["self"], self, total, counted)
        check_share(f"{name}: total of {pattern}", match["total"], all_of_it, total, counted)
    return len(names)


def main():
    schema = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as directory:
        compared = sum(check(name, pathlib.Path(directory), validator) for name in ("clean", "counts", "timed", "unknown"))
    print(f"{compared} functions have the shares of the folded stacks")


main()
