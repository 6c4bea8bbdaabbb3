#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares where functions of installed programs and libraries are left, as print_exits finds it, with what objdump shows of them.

    exits.py --bin DIRECTORY [--files N] [--bytes N] [--table] [FILE...]

Takes N installed files, always the same ones, or those that are named. The returns of a function that is understood must be those that objdump
shows in its parts, and no jump there may lead out of them. Ends with "# N functions of N files agree, N differ, N fall back"; with --table,
the reasons of the latter come before. Exit status 0 if none differs, 1 if not, 2 if it could not be tried."""
import argparse
import collections
import hashlib
import os
import re
import subprocess
import sys

DIRECTORIES = ("/usr/bin", "/usr/sbin", "/usr/lib")
LINE = re.compile(rb"^ *([0-9a-f]+):\t(.*)$")
PREFIXES = {b"bnd", b"rep", b"repz", b"repnz", b"notrack", b"data16", b"cs", b"ds", b"es", b"ss", b"lock", b"addr32", b"xacquire", b"xrelease"}


def is_program(path):
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return False
    # 64 bits, little-endian, x86-64, a program or a shared object
    return head[:6] == b"\x7fELF\x02\x01" and head[18:20] == b"\x3e\x00" and head[16:18] in (b"\x02\x00", b"\x03\x00")


def installed(count, most):
    """Of all installed programs `count` ones, in an order that says nothing but is always the same; first the C library, which has assembly."""
    found = set()
    for directory in DIRECTORIES:
        for place, directories, names in os.walk(directory):
            directories[:] = [name for name in directories if name not in ("debug", "modules", "firmware")]
            for name in names:
                path = os.path.join(place, name)
                if not os.path.islink(path) and os.path.getsize(path) <= most:
                    found.add(path)
    chosen = []
    for path in sorted(found, key=lambda path: (os.path.basename(path) != "libc.so.6", hashlib.sha256(path.encode()).digest())):
        if is_program(path):
            chosen.append(path)
            if len(chosen) == count:
                break
    return chosen


class Listing:
    """What objdump shows: returns and jumps by their addresses, and where instructions begin."""

    def __init__(self, path, span=None):
        command = ["objdump", "-d", "-w", "--no-show-raw-insn"]
        if span:
            command += ["--start-address=%#x" % span[0], "--stop-address=%#x" % span[1]]
        self.begins, self.returns, self.jumps = set(), [], []
        with subprocess.Popen(command + [path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            for line in process.stdout:
                match = LINE.match(line)
                if match:
                    self.take(int(match[1], 16), match[2].split())

    def take(self, address, words):
        self.begins.add(address)
        while words and words[0] in PREFIXES:
            words = words[1:]
        if not words:
            return
        mnemonic = words[0].split(b",")[0]
        if mnemonic in (b"ret", b"retq"):
            self.returns.append(address)
        elif (mnemonic[:1] == b"j" or mnemonic[:4] == b"loop") and len(words) > 1 and words[1][:1] not in (b"*", b"%"):
            self.jumps.append((address, int(words[1], 16)))

    def of(self, parts):
        """The returns in these parts, and a jump out of them, or None."""
        def within(address):
            return any(begin <= address < end for begin, end in parts)
        leaving = [address for begin, end in parts for address, target in between(self.jumps, begin, end) if not within(target)]
        return sorted(address for begin, end in parts for address in between(self.returns, begin, end)), leaving


def between(rows, begin, end):
    """Those of rows, ascending, whose address is in the span."""
    first = lower_bound(rows, begin)
    return rows[first:lower_bound(rows, end)]


def lower_bound(rows, address):
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        row = rows[middle]
        if (row if isinstance(row, int) else row[0]) < address:
            low = middle + 1
        else:
            high = middle
    return low


def read_functions(program, path):
    """(entry, name, parts, returns, why not) of each; None where the file cannot be read."""
    run = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        return None
    functions = []
    for line in run.stdout.decode(errors="replace").splitlines():
        entry, name, parts, returns, why = line.split("\t")
        spans = [tuple(int(number, 16) for number in part.split("-")) for part in parts.split()]
        functions.append((int(entry, 16), name, spans, [int(number, 16) for number in returns.split()], why))
    return functions


def shown_alone(path, parts):
    """As objdump shows them if it begins there: in a whole section it may be misled by data."""
    whole = Listing(path, parts[0])
    for part in parts[1:]:
        other = Listing(path, part)
        whole.returns += other.returns
        whole.jumps += other.jumps
    whole.returns.sort()
    whole.jumps.sort()
    return whole.of(parts)


def reason_of(why):
    """Without names and addresses."""
    return re.sub(r"0x[0-9a-f]+", "ADDRESS", re.sub(r"'.*'", "'f'", why)).replace("jump to ADDRESS at", "jump to 'f' at").replace(
        "into ADDRESS", "into 'f'")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--files", type=int, default=6)
    parser.add_argument("--bytes", type=int, default=6000000)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("file", nargs="*")
    options = parser.parse_args()
    agree, differ, files = 0, 0, 0
    named, unnamed, reasons, described = 0, 0, collections.Counter(), collections.Counter()
    for path in options.file or installed(options.files, options.bytes):
        functions = read_functions(options.bin + "/print_exits", path)
        if functions is None:
            print("# cannot be read: " + path, file=sys.stderr)
            return 2
        files += 1
        listing = Listing(path)
        for entry, name, parts, returns, why in functions:
            if name == "-":
                unnamed += 1
            else:
                named += 1
            if why:
                (described if name == "-" else reasons)[reason_of(why)] += 1
                continue
            shown, leaving = listing.of(parts)
            if shown != returns or leaving or not all(begin in listing.begins for begin, end in parts):
                shown, leaving = shown_alone(path, parts)
            if shown == returns and not leaving:
                agree += 1
                continue
            differ += 1
            print("%s: %s at %#x: found %s, objdump shows %s%s" % (
                path, name, entry, " ".join(map(hex, returns)), " ".join(map(hex, shown)),
                ", and leaving jumps at " + " ".join(map(hex, leaving)) if leaving else ""))
    if options.table:
        for count, of, table in ((named, "with a name", reasons), (unnamed, "without a name", described)):
            print("# functions %s: %d" % (of, count))
            for reason, number in table.most_common():
                print("# %7d %5.2f %% %s" % (number, 100 * number / max(count, 1), reason))
    print("# %d functions of %d files agree, %d differ, %d fall back" % (
        agree, files, differ, sum(reasons.values()) + sum(described.values())))
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
