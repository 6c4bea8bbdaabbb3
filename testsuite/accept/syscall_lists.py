#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The aliases that are written for system calls: -l, -L, --dump-probe-aliases and the reference list the same names, and
-L and the reference the same variables.

    syscall_lists.py --release R [--bin DIR]
"""
import argparse
import html
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMMON = {"name:string", "argstr:string"}
OF_RETURNS = {"retval:long", "retstr:string"}


def lines(*command):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, check=True).stdout.splitlines()


def of_reference(directory):
    """Variables by alias, of the page's lists."""
    page = (directory / "syscall.html").read_text()
    found = {}
    for name, body in re.findall(r'<dt id="probe-syscall\.[^"]*"><code>([^<]*)</code></dt>\n<dd>(.*?)</dd>', page, re.S):
        pairs = re.findall(r'<code>([^<]*)</code> <span class="type">([^<]*)</span>', body)
        found[html.unescape(name)] = {f"{variable}:{kind}" for variable, kind in pairs}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--release", required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent.parent / "build/bin")
    options = parser.parse_args()
    stap = [options.bin.resolve() / "stap", "-r", options.release]
    problems = []

    dumped = {line.split(" = ")[0] for line in lines(*stap, "--dump-probe-aliases")}
    for root in ("syscall", "nd_syscall", "dw_syscall", "tp_syscall"):
        listed = set(lines(*stap, "-l", f"{root}.*")) | set(lines(*stap, "-l", f"{root}.*.return"))
        if len(listed) < 600:
            problems.append(f"{root}.*: {len(listed)} names only")
        for name in sorted(listed ^ {name for name in dumped if name.startswith(root + ".")}):
            problems.append(f"{name}: {'not dumped' if name in listed else 'dumped, but not listed'}")

    with tempfile.TemporaryDirectory() as work:
        lines(options.bin.resolve() / "stap-docs", "--release", options.release, "--html", work, HERE.parent.parent / "tapsets")
        documented = of_reference(pathlib.Path(work))
    variables = {}
    for line in lines(*stap, "-L", "syscall.*") + lines(*stap, "-L", "syscall.*.return"):
        name, *rest = line.split(" name:string", maxsplit=1)
        # The program's own variables come last; their types have blanks.
        variables[name] = set(("name:string" + rest[0]).split(" $")[0].split()) if rest else set()
    for name, seen in sorted(variables.items()):
        at_return = name.endswith(".return")
        expected = set(documented.get(name, set())) | COMMON
        if at_return:
            expected |= OF_RETURNS | documented.get(name.removesuffix(".return"), set())
        elif name not in documented:
            problems.append(f"{name}: not in the reference")
        if seen != expected:
            problems.append(f"{name}: variables {' '.join(sorted(seen ^ expected))} are in one list only")
    for name in sorted(set(documented) - set(variables) - {"syscall.NAME", "syscall.NAME.return"}):
        problems.append(f"{name}: in the reference only")
    print(f"# {len(variables)} aliases of system calls")
    print("\n".join(problems[:20]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
