#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""figures.py STAP SOURCE_DIRECTORY: how large the documentation says the library is, and how large stap says it is. Nothing that lists
the library needs a kernel."""

import os
import pathlib
import re
import subprocess
import sys

KERNEL = "9.9.9-none"  # of which this machine has nothing
# Documents, with what stands for the two figures in them.
FIGURES = [
    ("docs/features.md", "FUNCTIONS functions and ALIASES aliases"),
    ("docs/kernels.md", "| functions that can be used | FUNCTIONS of FUNCTIONS"),
    ("docs/performance.md", "the whole tapset library (FUNCTIONS functions, ALIASES aliases)"),
]


# The tree's library alone: what other packages and the user have is not searched.
ENVIRONMENT = {**os.environ, "XDG_DATA_DIRS": "/nonexistent", "XDG_DATA_HOME": "/nonexistent"}


def listed(stap, option):
    ran = subprocess.run([stap, "-r", KERNEL, option], text=True, capture_output=True, env=ENVIRONMENT)
    if ran.returncode or ran.stderr:
        sys.exit(f"stap -r {KERNEL} {option} ended with {ran.returncode}:\n{ran.stderr}")
    return ran.stdout.splitlines()


def main():
    stap, source = sys.argv[1], pathlib.Path(sys.argv[2])
    functions = {line.split(":")[0] for line in listed(stap, "--dump-functions")}
    # Aliases of system calls are one for each call that a kernel has.
    aliases = {line.split(" = ")[0] for line in listed(stap, "--dump-probe-aliases")}
    aliases = {name for name in aliases if not re.match(r"(\w\w_)?syscall\.", name)}
    if not listed(stap, "--dump-probe-types"):
        sys.exit("--dump-probe-types lists nothing")
    print(f"{len(functions)} functions and {len(aliases)} aliases, by their names, without those of system calls")
    wrong = 0
    for name, form in FIGURES:
        wanted = form.replace("FUNCTIONS", str(len(functions))).replace("ALIASES", f"{len(aliases):,}")
        if wanted in re.sub(r"\s+", " ", (source / name).read_text()):
            continue
        print(f'{name}: does not say "{wanted}"')
        wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
