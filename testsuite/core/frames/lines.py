# SPDX-License-Identifier: GPL-2.0-or-later
# From lines "TID FRAME POINT | NAME=VALUE ..." to lines "TID FRAME DEPTH NAME VALUE", with numbers as unsigned 64 bits.
import re
import sys

inner = {}
for line in sys.stdin:
    head, bar, variables = line.rstrip("\n").partition(" | ")
    words = head.split()
    if not bar or len(words) < 2:
        continue
    place = (words[0], words[1])
    # Functions at one frame come from the innermost one outwards.
    depth = inner[place] = inner.get(place, -1) + 1
    for name, value in re.findall(r"(\S+?)=(\S+)", variables):
        if re.fullmatch(r"-?(0x)?[0-9a-f]+", value):
            value = int(value, 16 if "x" in value else 10) & (1 << 64) - 1
        elif value != "?":
            continue
        print(*place, depth, name, value)
