#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares variables of frames: compare.py OURS GDBS, lines as frames.py makes them ("here" and "there"). Prints what differs and
# what only GDB knows, then a line of counts: equal, different, unknown to both, unknown here, unknown there, whole structures. The
# members of a structure count as one: different if one is, unknown if one is. It is whole if it has none that both show.
import sys


def read(path):
    found = {}
    for line in open(path, errors="replace"):
        words = line.split()
        if len(words) == 5 and words[0].isdigit():
            found.setdefault(tuple(words[:4]), words[4])
    return found


def is_part(name):
    return "." in name or "[" in name


def compare_whole(key, here, ours, gdbs):
    parts = [k for k in gdbs if k[:3] == key[:3] and is_part(k[3]) and k[3].startswith((key[3] + ".", key[3] + "["))]
    known = [k for k in parts if gdbs[k] not in ("?", "fault")]
    if here == "?":
        return ("here" if known else "neither"), ""
    both = [k for k in known if k in ours]
    for k in both:
        if ours[k] not in ("?", gdbs[k]):
            return "different", "%s: here %s there %s" % (k[3], ours[k], gdbs[k])
    if not both:
        return "whole", ""
    return ("here" if any(ours[k] == "?" for k in both) else "equal"), ""


def main():
    ours, gdbs = read(sys.argv[1]), read(sys.argv[2])
    frames = {key[:3] for key in ours}
    counts = dict.fromkeys(("equal", "different", "neither", "here", "there", "whole"), 0)
    for key, there in gdbs.items():
        if key[:3] not in frames or is_part(key[3]):
            continue
        here = ours.get(key, "?")
        where = ""
        if there == "whole":
            kind, where = compare_whole(key, here, ours, gdbs)
        elif here == there:
            kind = "neither" if here in ("?", "fault") else "equal"
        elif here in ("?", "fault"):
            kind = "neither" if there in ("?", "fault") else "here"
        else:
            kind = "there" if there in ("?", "fault") else "different"
        counts[kind] += 1
        if kind in ("different", "here", "there"):
            print(kind, *key, where or "here %s there %s" % (here, there))
    print("counts", *counts.values())


main()
