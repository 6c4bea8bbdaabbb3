#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors of syntax are told before all that stands in the way of every script, such as missing kernel headers.

    syntax_first.py STAP

A good script gets a stray ')' at each of its lines in turn. stap has to name just that line and column, which Python
counts, and nothing else; without the ')' it has to name the missing headers.
"""
import os
import re
import subprocess
import sys
import tempfile

from terminal import ENVIRONMENT

GOOD = """global reads

function twice(n) {
\treturn n * 2
}
probe begin {
\treads = twice(21)
}
"""
# Releases and trees that no machine has, and what is told of them.
KERNELS = [("9.9.9-none", "no build tree for kernel 9.9.9-none"), ("/no/such/tree", "-r /no/such/tree: "),
           ("a/b", "-r a/b: neither a kernel release nor")]


def told(stap, words, directory):
    process = subprocess.run([stap, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=directory,
                             env=ENVIRONMENT, check=False)
    return process.stderr, process.returncode


def places(text):
    """Where errors are, and in which column of its line each caret is."""
    at = re.findall(r"saw: .* at (\S+):(\d+):(\d+)\n( *source: ).*\n( *)\^", text)
    return [(name, int(line), int(column)) for name, line, column, *_ in at], [len(before) - len(label) + 1 for *_, label, before in at]


def main():
    stap = os.path.abspath(sys.argv[1])
    number = bad = 0

    def check(title, good, text):
        nonlocal number, bad
        number += 1
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {title}")
        if not good:
            print("# printed:\n" + text)

    with tempfile.TemporaryDirectory() as directory:
        lines = GOOD.splitlines()
        for i, line in enumerate(lines):
            # Nothing may follow a complete line, or precede the first word of one.
            bad_lines = lines[:i] + [") " + line] + lines[i + 1:]
            with open(f"{directory}/script.stp", "w", encoding="utf-8") as out:
                out.write("\n".join(bad_lines) + "\n")
            text, status = told(stap, ["-r", KERNELS[0][0], "script.stp"], directory)
            found, carets = places(text)
            good = status == 1 and found[:1] == [("script.stp", i + 1, 1)] and carets[:1] == [1]
            check(f"line {i + 1}", good and "build tree" not in text, text)
        with open(f"{directory}/script.stp", "w", encoding="utf-8") as out:
            out.write(GOOD)
        with open(f"{directory}/other.stp", "w", encoding="utf-8") as out:
            out.write("probe end { print(reads) }\nprobe never { print(1 }\n")
        broken = "probe end { exit( }"
        for kernel, missing in KERNELS:
            text, status = told(stap, ["-r", kernel, "script.stp"], directory)
            check(f"-r {kernel} of a good script", status == 1 and missing in text and "parse error" not in text, text)
            text, status = told(stap, ["-r", kernel, "-e", broken], directory)
            check(f"-r {kernel} of a bad one", status == 1 and missing not in text and
                  places(text) == ([("<input>", 1, broken.index("}") + 1)], [broken.index("}") + 1]), text)
        text, status = told(stap, ["-r", KERNELS[0][0], "-e", GOOD, "-E", broken], directory)
        check("two -e and -E", status == 1 and [place[1:] for place in places(text)[0]] == [(1, broken.index("}") + 1)] and
              KERNELS[0][1] not in text, text)
        text, status = told(stap, ["-r", KERNELS[0][0], "other.stp", "-E", broken], directory)
        check("a file and -E", status == 1 and [place[1:] for place in places(text)[0]] ==
              [(2, 23), (1, broken.index("}") + 1)] and KERNELS[0][1] not in text, text)
    print(f"1..{number}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
