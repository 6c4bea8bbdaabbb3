#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares variables of frames: compare.py OURS GDBS, lines as frames.py makes them ("here" and "there"). Prints what differs and
# what only GDB knows, then a line of counts: equal, different, unknown to both, unknown here, unknown there, whole structures.
import sys


def read(path):
    found = {}
    for line in open(path, errors="replace"):
        words = line.split()
        if len(words) == 5 and words[0].isdigit():
            found.setdefault(tuple(words[:4]), words[4])
    return found


def main():
    ours, gdbs = read(sys.argv[1]), read(sys.argv[2])
    frames = {key[:3] for key in ours}
    counts = dict.fromkeys(("equal", "different", "neither", "here", "there", "whole"), 0)
    for key, there in gdbs.items():
        if key[:3] not in frames:
            continue
        here = ours.get(key, "?")
        if there == "whole":
            kind = "whole"
        elif here == there:
            kind = "neither" if here in ("?", "fault") else "equal"
        elif here in ("?", "fault"):
            kind = "neither" if there in ("?", "fault") else "here"
        else:
            kind = "there" if there in ("?", "fault") else "different"
        counts[kind] += 1
        if kind in ("different", "here", "there"):
            print(kind, *key, "here", here, "there", there)
    print("counts", *counts.values())


main()
