#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""table.py DIR: the table of run.sh, from what its guest left in DIR. Status 1 as run.sh says."""
import pathlib
import sys


def fields(path, separator):
    return dict(line.split(separator, 1) for line in path.read_text().splitlines() if separator in line)


def why_not(place):
    """Why a peer says nothing: its first complaint."""
    for line in (place / "peer.err").read_text(errors="replace").splitlines():
        if any(word in line.lower() for word in ("error", "could not", "cannot", "failed", "no such", "unknown", "exception")):
            return line.strip()
    return ""


def verdict(pair, counts, place):
    """The last cell, and whether all is as it should be."""
    own, ours, theirs = counts["own"], counts["ours"], counts["theirs"]
    if not ours:
        return "OURS IS MISSING", False
    if own and ours != own:
        return "OURS IS WRONG", False
    if ours == theirs:
        return ("equal", True) if not pair["why"] else ("equal, although: " + pair["why"], False)
    if pair["why"]:
        return pair["why"], True
    return "DIFFERS. " + why_not(place), False


def main():
    places = sorted((p for p in pathlib.Path(sys.argv[1]).iterdir() if (p / "counts").exists()), key=lambda p: int(p.name))
    good, equal = True, 0
    print("| | ours | theirs | load | its own count | ours | theirs | |\n|" + "---|" * 8)
    for place in places:
        pair = fields(place / "pair", "\t")
        counts = {key: value.strip() for key, value in fields(place / "counts", " ").items()}
        text, fine = verdict(pair, counts, place)
        good &= fine
        equal += text == "equal"
        cells = [place.name, f"{pair['tool']} {pair['set']}".strip(), pathlib.Path(pair["peer"].split()[0]).name, pair["load"], counts["own"], counts["ours"],
                 counts["theirs"], text]
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    print(f"{len(places)} pairs, {equal} equal")
    return 0 if good and places else 1


sys.exit(main())
