# SPDX-License-Identifier: GPL-2.0-or-later
"""library_data.py COUNT FILE...: COUNT variables of libraries, as readelf lists them, for library_data.c."""
import random
import re
import subprocess
import sys

lines = []
for path in sys.argv[2:]:
    places = {}
    for line in subprocess.run(["readelf", "-W", "--dyn-syms", path], text=True, capture_output=True, check=True).stdout.splitlines():
        # Number, value, size, type, binding, visibility, section, name.
        match = re.match(r"\s*\d+: (\w+) +(\w+) OBJECT +\S+ +\S+ +\d+ ([^@\s]+)", line)
        if match:
            places.setdefault((int(match[1], 16), int(match[2], 0)), set()).add(match[3])
    for (address, size), names in places.items():
        # Not those that lie within others, which have two names from there on.
        if size and not any(other[0] <= address < other[0] + other[1] or address <= other[0] < address + size for other in places if other != (address, size)):
            lines.append(f"{path} {random.Random(address).randrange(size):x} {address:x} |{'|'.join(sorted(names))}|")
random.Random(1).shuffle(lines)
print("\n".join(lines[: int(sys.argv[1])]))
