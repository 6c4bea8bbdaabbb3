#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""_read.py TUTORIAL STAP RELEASE: compiles every command of the tutorial's blocks `sh` into line_N.ko in the working directory. Writes
line_N.command (the command of -c) and line_N.shapes: an extended regular expression for each line that the tutorial shows. Numbers and the
bars of histograms stand for any; words and names for themselves. The lines of a block `output` are all that is printed, those of a block
`sample` are some: its line_N.kind tells."""

import pathlib
import re
import shlex
import subprocess
import sys


def shape(line):
    pattern = ""
    for blank, bar, address, number, word, other in re.findall(r"(\s+)|(@+|---+)|(0x[0-9a-f]+)|(-?\b\d+\b)|(\w[\w-]*)|(.)", line):
        if blank:
            pattern += " +"
        elif bar:
            pattern += "[@-]*"
        elif address:
            pattern += "0x[0-9a-f]+"
        elif number:
            pattern += "-?[0-9]+"
        else:
            pattern += re.sub(r"([\\^$.\[\]|()*+?{}])", r"\\\1", word or other)
    return "^ *" + pattern.removeprefix(" +") + "$"


def check_shapes():
    """Whether a shape stands for its line, and for no other name."""
    for line, other in (('cat opens "/etc/hostname"', 'sh opens "/dev/null"'), ("  14 openat: -2 (ENOENT)", "  14 openat: -2 (EPERM)"),
                        ("sh (115), started by staprun", "sh (115), started by bash"), ("  61 swapper/1", "  61 sort")):
        again = re.sub(r"\d+", "7", line)
        if not re.search(shape(line), again) or re.search(shape(line), other):
            sys.exit(f"the shape of '{line}' does not tell it from '{other}'")


def main():
    tutorial, stap, release = sys.argv[1:]
    check_shapes()
    blocks = re.findall(r"^```sh\n(.*?)^```\n```(output|sample)\n(.*?)^```", pathlib.Path(tutorial).read_text(), re.M | re.S)
    if len(blocks) < 12:
        sys.exit(f"{tutorial}: {len(blocks)} commands with their output, not twelve")
    for number, (command, kind, shown) in enumerate(blocks, 1):
        words, script, target, rest = shlex.split(command)[1:], "", "", []
        while words:
            word = words.pop(0)
            if word == "-e":
                script = words.pop(0)
            elif word == "-c":
                target = words.pop(0)
            else:
                rest.append(word)
        subprocess.run([stap, "-r", release, "-p4", "-m", f"line_{number}", "-e", script, *rest], check=True, stdout=subprocess.DEVNULL)
        shapes = "".join(shape(line) + "\n" for line in shown.splitlines())
        for name, text in (("command", target), ("kind", kind), ("shapes", shapes)):
            pathlib.Path(f"line_{number}.{name}").write_text(text)


main()
