#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the cost of tools' handlers, as ledgers of runs have them, with what stap --cost says of them.

catalogue.py FOLDER STAP RELEASE [--check] < "NAME<tab>WORDS" lines

FOLDER has NAME.ledger, of guests where a nanosecond is an instruction. Prints for each tool the handlers' hits, the instructions that a hit took, those
predicted, and their ratio; probes are weighed by their hits. Those that run once, and those with fewer than 20 hits that were timed, are left out."""
import json
import pathlib
import shlex
import subprocess
import sys

BOUND = 1.3  # either way
LEAST = 20
ONCE = ("once", "process event")


def predicted(stap, release, name, words, ledger):
    """The typical handler of each probe, by its place in the script."""
    command = [stap, "-r", release, "-w", "--cost", "--format=json", "--rates", str(ledger), "run", name, *shlex.split(words)]
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"{name}: {said.stderr}")
    return {probe["where"]: probe["handler"]["typical"] for probe in json.loads(said.stdout)["probes"] if probe["way"] not in ONCE}


def main():
    folder, stap, release = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
    outside, count = [], 0
    print(f"{'':14} {'hits':>8} {'counted':>9} {'predicted':>9} {'ratio':>6}")
    for line in sys.stdin:
        name, words = line.rstrip("\n").split("\t")
        ledger = folder / (name + ".ledger")
        if not ledger.exists():
            print(f"{name:14} was not run")
            continue
        typical = predicted(stap, release, name, words, ledger)
        hits = taken = guessed = 0
        for probe in json.loads(ledger.read_text())["probes"]:
            guess = typical.get(probe["where"])
            timed = probe["time_ns"]
            if guess is None or timed["hits"] < LEAST:
                continue
            hits += probe["handled"]
            taken += timed["sum"] / timed["hits"] * probe["handled"]
            guessed += guess * probe["handled"]
        if not hits:
            print(f"{name:14} {'-':>8}")
            continue
        ratio = guessed / taken
        count += 1
        if not 1 / BOUND <= ratio <= BOUND:
            outside.append(name)
        print(f"{name:14} {hits:8} {taken / hits:9.0f} {guessed / hits:9.0f} {ratio:6.2f}{' !' if name in outside else ''}")
    print(f"{count} tools, {count - len(outside)} within 30 %")
    sys.exit(1 if outside and "--check" in sys.argv else 0)


main()
