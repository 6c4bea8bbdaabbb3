#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What stap tells of mistakes at terminals of 120, 80 and 40 columns, whole, and in a pipe.

    messages.py STAP   compares with messages.txt, printing a TAP line for each text
    messages.py --without=PROGRAM STAP   leaves out the mistakes with PROGRAM, which this build does not have
    messages.py --update STAP   writes what is said now into messages.txt, for review

messages.txt has for each mistake "### title", "$ arguments" of stap or "$ PROGRAM arguments", script lines indented by two spaces (they become script.stp),
"=> STATUS", and behind "=== WIDTH" what is printed; "=== pipe" is standard error of a run without a terminal.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from terminal import ENVIRONMENT, at_terminal

FILE = pathlib.Path(__file__).resolve().parent / "messages.txt"
WIDTHS = ["120", "80", "40", "pipe"]


def cases():
    for part in FILE.read_text(encoding="utf-8").split("### ")[1:]:
        head, *sections = part.split("\n=== ")
        title, command, *script, status = head.splitlines()
        expected = {}
        for section in sections:
            where, _, text = section.partition("\n")
            expected[where] = text.rstrip("\n")
        yield title, command.removeprefix("$ "), "".join(line[2:] + "\n" for line in script), int(status.removeprefix("=> ")), expected


def program_of(command):
    first = shlex.split(command)[0]
    return "stap" if first.startswith("-") else first


def said(stap, command, where, directory):
    words = shlex.split(command)
    program = program_of(command)
    if words[0] == program:
        words.pop(0)
    words.insert(0, os.path.join(os.path.dirname(stap), program))
    if where == "pipe":
        process = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=directory,
                                 env=ENVIRONMENT, check=False, stdout=subprocess.DEVNULL)
        # Options come and go.
        return re.sub(r"(?ms)^Usage: .*?this text$", "Usage: ...", process.stderr), process.returncode
    return at_terminal(words, int(where), directory)


def main():
    update = sys.argv[1] == "--update"
    absent = [word.removeprefix("--without=") for word in sys.argv[1:-1] if word.startswith("--without=")]
    stap = os.path.abspath(sys.argv[-1])
    number, bad, out = 0, 0, []
    with tempfile.TemporaryDirectory() as directory:
        for title, command, script, awaited, expected in cases():
            if program_of(command) in absent:
                print(f"# left out, {program_of(command)} is not built: {title}")
                continue
            (pathlib.Path(directory) / "script.stp").write_text(script, encoding="utf-8")
            out.append(f"### {title}\n$ {command}\n" + "".join(f"  {line}\n" for line in script.splitlines()) + f"=> {awaited}\n")
            for where in WIDTHS:
                text, status = said(stap, command, where, directory)
                text = text.rstrip("\n")
                out.append(f"=== {where}\n{text}\n\n")
                number += 1
                good = text == expected.get(where) and status == awaited
                bad += not good
                print(f"{'ok' if good else 'not ok'} {number} - {title}, {where}")
                if not good and not update:
                    print(f"# exit status {status}, printed:\n{text}\n# expected:\n{expected.get(where)}")
    if update:
        FILE.write_text("".join(out).rstrip("\n") + "\n", encoding="utf-8")
        return 0
    print(f"1..{number}")
    return 1 if bad or not number else 0


if __name__ == "__main__":
    sys.exit(main())
