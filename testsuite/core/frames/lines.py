# SPDX-License-Identifier: GPL-2.0-or-later
# From lines "TID FRAME POINT | NAME=VALUE ... | NAME=VALUE ..." to lines "TID FRAME DEPTH NAME VALUE", with numbers as unsigned 64 bits.
# A structure or array that is known is "{}", and its members and elements follow: NAME.MEMBER, NAME[INDEX] and so on.
import re
import sys

NUMBER = re.compile(r"-?(0x[0-9a-f]+|[0-9]+)")


def unsigned(text):
    return int(text, 0) & (1 << 64) - 1


def parts_of(text, at, path, found):
    """Reads the value at a place; what it consists of goes to `found` by its path. Returns the place behind it."""
    if text[at] in "{[":
        end, index, at = "}" if text[at] == "{" else "]", 0, at + 1
        while at < len(text) and text[at] != end:
            name = re.compile(r"\.([^=,{}]+)=").match(text, at)
            inner = path + "[%d]" % index if end == "]" else path + "." + name.group(1) if name else path
            at, index = parts_of(text, name.end() if name else at, inner, found), index + 1
            at = re.compile(r"(, ?)?").match(text, at).end()
        return at + 1
    if text[at] in "\"'":
        return re.compile(r"\"(\\.|[^\"\\])*\"?(\.\.\.)?|'(\\.|[^'])*'?").match(text, at).end()
    word = re.compile(r"[^,}\] {]*").match(text, at)
    if text[word.end() : word.end() + 1] == "{":  # the name of a variant of an enum of Rust
        return parts_of(text, word.end(), path, found)
    found[path] = word.group()
    return max(word.end(), at + 1)


def wholes(text):
    at = 0
    while name := re.compile(r"\s*(\S+?)=").match(text, at):
        found = {}
        if name.end() >= len(text):
            return
        shape = re.compile(r"\w*([{\[\"]?)").match(text, name.end()).group(1)
        at = parts_of(text, name.end(), name.group(1), found)
        if shape:
            yield name.group(1), shape, found


inner = {}
for line in sys.stdin:
    head, bar, rest = line.rstrip("\n").partition(" | ")
    variables, bar, pretty = rest.partition(" | ")
    words = head.split()
    if not bar or len(words) < 2:
        continue
    place = (words[0], words[1])
    # Functions at one frame come from the innermost one outwards.
    depth = inner[place] = inner.get(place, -1) + 1
    plain = dict(re.findall(r"(\S+?)=(\S+)", variables))
    for name, shape, found in wholes(pretty):
        # A pointer has its number already; an array has the number of its place.
        if plain.get(name) != "?" and shape != "[":
            continue
        plain[name] = "{}"
        for path, value in found.items():
            if path != name and (value == "?" or NUMBER.fullmatch(value)):
                print(*place, depth, path, value if value == "?" else unsigned(value))
    for name, value in plain.items():
        if value in ("?", "{}"):
            print(*place, depth, name, value)
        elif NUMBER.fullmatch(value):
            print(*place, depth, name, unsigned(value))
