#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that pages name in place of other people's tools are translated without a word.

    tools_of_others.py STAP RELEASE PAGE...     looks at the tables below "## Tools"; prints what is wrong, status 1 if anything is"""
import os
import pathlib
import re
import subprocess
import sys

stap, release, *pages = sys.argv[1:]
faults = commands = 0
for page in pages:
    section = pathlib.Path(page).read_text(encoding="utf-8").split("\n## Tools\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| .*`.*\|$", section, re.MULTILINE)
    found = [command for row in rows for command in re.findall(r"`stap ([^`]+)`", row)]
    if len(found) < 20:
        sys.exit(f"{page}: only {len(found)} commands")
    for command in found:
        command = command.replace("\\|", "|").replace("PID", str(os.getpid())).replace("./prog", "/bin/true")
        said = subprocess.run(["bash", "-c", f'"$0" -p3 -r "$1" {command}', stap, release], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        commands += 1
        if said.returncode or said.stderr:
            faults += 1
            print(f"{page}: stap {command}: status {said.returncode}, {said.stderr}")
print(f"{commands} commands, {faults} faults")
sys.exit(1 if faults else 0)
