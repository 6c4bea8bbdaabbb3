#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes how each tool fares on each kernel into docs/kernels.md, between the two marks.

    tools_report.py --cases            the guest tests that run tools, one a line; not each tool as a member of stapusr, nor each one's records
    tools_report.py --untested         the tools that no test runs; status 1 if there are any
    tools_report.py --state DIR --kernels FILE --document FILE

DIR has a folder per kernel: `tools.log` (stap run --check-all), and `tools-guest.log` or `guest.log` (the guest tests' report), of which the newer
one counts. A kernel without them is left out, which the document says; status 1 if that is true of all, and nothing is written.
"""
import argparse
import pathlib
import re
import sys

import results

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- begin: testsuite/matrix/run.sh --tools -->\n", "<!-- end: tools -->\n"
# Tools that read core files are tried on these, not in guests.
CORES = ROOT / "testsuite/core"
# Runs every tool beside no load. It says nothing of a tool's numbers, so that the table does without.
QUIET = "tool/quiet"


def tool_names():
    return sorted(path.stem for path in ROOT.glob("tools/*/*.stp"))


def cases_of_tools():
    """A dictionary: of each tool the guest tests that translate it."""
    names = set(tool_names())
    found = {name: [] for name in names}
    for path in sorted(ROOT.glob("testsuite/vm/*/*")):
        if path.suffix not in (".sh", ".stp") or path.name.startswith("_"):
            continue
        case = f"{path.parent.name}/{path.stem}"
        mine = set()
        for line in re.findall(r"^(?:#|//): host: (.*)", path.read_text(errors="replace"), re.M):
            if '"$STAP"' in line and (" run " in line or "/tools/" in line):
                mine |= names.intersection(re.findall(r"[A-Za-z0-9][\w-]*", line))
        for name in mine:
            found[name].append(case)
    return found


class Kernel:
    def __init__(self, name, place):
        self.name = name
        self.points = {}  # tool -> "ok", or what is missing; without those that were not checked
        for line in (place / "tools.log").read_text().splitlines():
            if match := re.match(r"(\S+) +(ok|MISSING)[,:] (.*)", line):
                self.points[match[1]] = "ok" if match[2] == "ok" else match[3]
        logs = [log for log in (place / "tools-guest.log", place / "guest.log") if log.exists()]
        if not logs:
            raise ValueError(f"{place}: no report of guest tests")
        self.cases, _ = results.guest_results(max(logs, key=lambda log: log.stat().st_mtime))

    def fate(self, tool, cases):
        """A cell of the table, and what it leaves to be said."""
        states = {case: self.cases[case] for case in cases if case in self.cases}
        failed = [f"{case}: {text}" for case, (state, text) in states.items() if state == "failed"]
        if failed:
            return "**fails**", "; ".join(failed)
        if self.points.get(tool, "ok") != "ok":
            return "no", self.points[tool]
        if any(state == "ok" for state, _ in states.values()):
            return "tested", ""
        if states:
            return "skipped", "; ".join(sorted({text for _, text in states.values()}))
        return ("points", "") if tool in self.points else ("–", "")


def tools_for_cores():
    """Those that the tests of core files run."""
    texts = [path.read_text() for path in CORES.rglob("*.sh")]
    return {name for name in tool_names() if any(re.search(rf"\b(tool|rows) {re.escape(name)}\b|\b{re.escape(name)}:[a-z]", text) for text in texts)}


def written(kernels, absent):
    text = (
        "*tested*: the guest tests that run the tool passed. *points*: its probe points are there, and no\n"
        "guest test has run it there. *no*: they are not. *cores*: it is tried on core files\n"
        "(testsuite/core). –: neither was looked at.\n\n"
    )
    by_core = tools_for_cores()
    rows, notes = [], []
    for tool, cases in sorted(cases_of_tools().items()):
        row = [f"`{tool}`"]
        for kernel in kernels:
            cell, note = kernel.fate(tool, cases)
            row.append("cores" if cell in ("–", "points") and tool in by_core and not cases else cell)
            if note:
                notes.append([f"`{tool}`", kernel.name, re.sub(r"\s+", " ", note).replace("|", "\\|")])
        rows.append(row)
    text += results.table(["tool"] + [k.name for k in kernels], rows)
    if notes:
        text += results.table(["tool", "kernel", "why"], notes)
    if absent:
        text += f"Not run when this was written: {', '.join(absent)}.\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--untested", action="store_true")
    for option in ("--state", "--kernels", "--document"):
        parser.add_argument(option, type=pathlib.Path)
    options = parser.parse_args()
    if options.cases:
        print("\n".join(sorted({QUIET}.union(*cases_of_tools().values()))))
        return 0
    if options.untested:
        by_core = tools_for_cores()
        untested = [name for name, cases in sorted(cases_of_tools().items()) if not cases and name not in by_core]
        print("".join(f"tools/*/{name}.stp: no test runs it\n" for name in untested), end="")
        return 1 if untested else 0
    kernels, absent = results.of_kernels(options.kernels, options.state, Kernel)
    if not kernels:
        return 1
    results.replace_between(options.document, BEGIN, END, written(kernels, absent))
    return 0


sys.exit(main())
