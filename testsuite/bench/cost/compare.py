#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what run.sh counted with what stap --cost says of the same scripts and rates.

compare.py FIGURES STAP RELEASE [--check] < "NAME<tab>LOAD<tab>WORD..." lines, words separated by the unit separator

Prints the instructions that a turn of each load took longer, those predicted, and their ratio.
"""
import json
import os
import subprocess
import sys
import tempfile

# The load's stack: load.c calls its functions below 20 others. In the kernel it is as deep as the place.
# That of the other thread of "switch" is short.
FRAMES = {"switch": 16}
KERNEL_FRAMES = {"spin": 0, "fault": 0, "call": 0, "leave": 0, "malloc": 0, "allocators": 0, "switch": 10, "futex": 9, "map": 7, "net": 8, "block": 14}
TEXT = 6
BOUND = 1.3  # either way
TIMED = {"spin"}  # loads whose hits come with time, not with turns


def read_figures(path):
    base, script, ledger = {}, {}, {}
    for line in open(path):
        words = line.split(" ", 2)
        if words[0] == "base":
            base[words[1]] = min(base.get(words[1], 1e18), float(words[2].split()[0]))
        elif words[0] == "script":
            script[words[1]] = tuple(float(word) for word in words[2].split())
        elif words[0] == "ledger":
            ledger[words[1]] = json.loads(words[2])
    return base, script, ledger


def armed_seconds(ledger):
    return ledger["overhead"]["armed_ns"] / 1e9


def predicted(stap, release, load, words, ledger):
    """The report of stap --cost with the rates of a ledger."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as rates:
        json.dump(ledger, rates)
        rates.flush()
        assumed = f"frames={FRAMES.get(load, 28)},kernel-frames={KERNEL_FRAMES.get(load, 6)},text={TEXT}"
        command = [stap, "-r", release, "-w", "--cost", "--format=json", "--rates", rates.name, "--assume", assumed]
        return json.loads(subprocess.run(command + words, check=True, capture_output=True).stdout)


def main():
    figures, stap, release = sys.argv[1:4]
    check = "--check" in sys.argv
    base, script, ledger = read_figures(figures)
    outside, ratios = [], []
    print(f"{'':20} {'counted':>10} {'predicted':>10} {'ratio':>6}")
    for line in sys.stdin:
        name, load, words = line.rstrip("\n").split("\t")
        if name not in script or name not in ledger:
            continue
        words = words.split("\x1f")
        turn, turns = script[name]
        report = predicted(stap, release, load, words, ledger[name])
        a_second = report.get("total", {"instructions_per_second": {"typical": 0}})["instructions_per_second"]["typical"]
        if load in TIMED:
            guess = a_second * turn / 1e9
        else:
            guess = a_second * armed_seconds(ledger[name]) / turns
        counted = turn - base[load]
        ratio = guess / counted if counted > 0 else float("inf")
        ratios.append(ratio)
        if not 1 / BOUND <= ratio <= BOUND:
            outside.append(name)
        print(f"{name:20} {counted:10.1f} {guess:10.1f} {ratio:6.2f}{'' if name not in outside else ' !'}")
    print(f"{len(ratios)} scripts, {len(ratios) - len(outside)} within 30 %")
    sys.exit(1 if check and outside else 0)


main()
