#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""_read.py TUTORIAL STAP RELEASE: compiles every command of the tutorial's blocks `sh` into line_N.ko in the working directory. Writes
line_N.command (the command of -c), line_N.words (the script's arguments) and line_N.shapes: an extended regular expression for each line that
the tutorial shows. Numbers stand for any number; in a block `sample`, words stand for any words, too."""

import pathlib
import re
import shlex
import subprocess
import sys


def shape(line, sample):
    pattern = ""
    for blank, bar, address, number, word, other in re.findall(r"(\s+)|(@+|---+)|(0x[0-9a-f]+)|(-?\d+)|([A-Za-z_][\w./-]*)|(.)", line):
        if blank:
            pattern += " +"
        elif bar:
            pattern += "[@-]*"
        elif address:
            pattern += "0x[0-9a-f]+"
        elif number:
            pattern += "-?[0-9]+"
        elif word:
            pattern += "[^ ]+" if sample else word.replace(".", "\\.")
        else:
            pattern += ("." if sample else "\\" + other) if other in "\\^$.[]|()*+?{}" else other
    return "^ *" + pattern.removeprefix(" +") + "$"


def main():
    tutorial, stap, release = sys.argv[1:]
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
        for name, text in (("command", target), ("shapes", "".join(shape(line, kind == "sample") + "\n" for line in shown.splitlines()))):
            pathlib.Path(f"line_{number}.{name}").write_text(text)


main()
