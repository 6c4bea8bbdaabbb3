#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes what run.sh found into docs/kernels.md, between the two marks.

    report.py --state DIR --kernels FILE --document FILE

DIR has a folder per kernel: `kernel` (what stap-vm says of it), `prepared` (milliseconds), `guest.log` (the guest tests' report) and
`library.tsv` (accept/library.py --table). A kernel of which something is missing is left out, which the document says; status 1 if that is true
of all, and nothing is written.
"""
import argparse
import collections
import pathlib
import re
import sys
import textwrap

import results

BEGIN, END = "<!-- begin: testsuite/matrix/run.sh -->\n", "<!-- end -->\n"

# The subjects of the areas of testsuite/vm, or of single tests of them; areas that are not here have their own name.
KINDS = {
    "begin, end, error, control": ("control", "errors", "smoke"),
    "the language: globals, statistics, contention": ("language",),
    "kernel.function, module.function, kprobe.*: entries, returns, statements": ("function", "kmod"),
    "target variables, casts": ("target",),
    "timer.*": ("kmod/timers", "kmod/storm"),
    "kernel.trace, module.trace": ("tracepoint",),
    "syscall.*": ("syscall",),
    "perf.*, timer.profile": ("perf",),
    "kernel.data (hardware breakpoints)": ("data",),
    "process.data (hardware breakpoints)": ("user_data",),
    "procfs.*": ("procfs",),
    "netfilter.*": ("netfilter",),
    "process.*: begin, end, thread, syscall": ("process",),
    "process.function, .statement, .mark, .plt (uprobes)": ("uprobe",),
    "variables of programs": ("uservars",),
    "stacks of programs": ("ustack",),
    "real programs": ("programs",),
    "kernel stacks and symbols": ("stack",),
    "aliases and functions of the tapsets": ("tapset",),
    "loading, output, unloading": ("staprun",),
    "modules and trust: signatures, groups, set-user-ID": ("trust",),
    "scripts that run from boot": ("boot",),
    "bundles": ("bundle",),
    "the build server": ("server",),
}
# The most that preparing a kernel may take, in milliseconds.
PREPARE_LIMIT = 8000


def one_line(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


class Kernel:
    def __init__(self, name, place):
        self.name = name
        self.release = re.search(r"^release (.*)", (place / "kernel").read_text(), re.M)[1]
        self.prepared = int((place / "prepared").read_text())
        self.cases, trouble = results.guest_results(place / "guest.log")
        self.trouble = len(trouble)
        self.library = {}  # (kind, name) -> why not, or ""
        for line in (place / "library.tsv").read_text().splitlines():
            kind, name, why = line.split("\t")
            self.library[kind, name] = why


def tests(kernels):
    text = "### Guest tests, by probe kind\n\nPassed of those that ran. In brackets: skipped, because the kernel lacks what they need.\n\n"
    kind_of = {part: kind for kind, parts in KINDS.items() for part in parts}
    kinds = dict.fromkeys(KINDS)
    for kernel in kernels:
        for case in kernel.cases:
            area = case.split("/")[0]
            kind_of[case] = kind_of.get(case) or kind_of.get(area, area)
            kinds[kind_of[case]] = None
    rows = []
    for kind in kinds:
        row = [kind]
        for kernel in kernels:
            states = collections.Counter(state for case, (state, _) in kernel.cases.items() if kind_of[case] == kind)
            ran = states["ok"] + states["failed"]
            row.append(f"{states['ok']}/{ran}" + (f" ({states['skipped']})" if states["skipped"] else ""))
        rows.append(row)
    rows.append(["**all**"] + [f"{sum(s == 'ok' for s, _ in k.cases.values())}/{sum(s != 'skipped' for s, _ in k.cases.values())}" for k in kernels])
    rows.append(["complaints in the kernel's log"] + [str(k.trouble) for k in kernels])
    text += results.table(["probe kind"] + [k.name for k in kernels], rows)
    for state, title in (("failed", "Failed"), ("skipped", "Skipped")):
        rows = []
        for case in sorted({case for kernel in kernels for case in kernel.cases}):
            by_text = collections.defaultdict(list)
            for kernel in kernels:
                if kernel.cases.get(case, ("", ""))[0] == state:
                    by_text[one_line(kernel.cases[case][1])].append(kernel.name)
            rows += [[case, ", ".join(names), what] for what, names in by_text.items()]
        text += f"{title}: none.\n\n" if not rows else f"{title}:\n\n" + results.table(["test", "kernel", "what" if state == "failed" else "why"], rows)
    return text


def library(kernels):
    names = sorted({key for kernel in kernels for key in kernel.library})
    text = "### Functions and aliases of the tapsets\n\nAll that are not in the lists below can be used on all of these kernels. A name with `[.return]` stands for the point and\nits return, `{dw,nd,tp}_` for three names. Overloads count as one function; aliases are those of any of these kernels.\n\n"
    rows = []
    for kind in ("function", "alias"):
        row = [f"{kind}s that can be used" if kind == "function" else "aliases that can be used"]
        for kernel in kernels:
            mine = [why for (k, _), why in kernel.library.items() if k == kind]
            row.append(f"{sum(not why for why in mine)} of {sum(k == kind for k, _ in names)}")
        rows.append(row)
    text += results.table([""] + [k.name for k in kernels], rows)
    # Names with the same fate stand together.
    groups = collections.defaultdict(list)
    for kind, name in names:
        fate = []
        for kernel in kernels:
            why = kernel.library.get((kind, name), "this kernel has no such system call" if name.startswith("syscall.") else "not defined")
            why = re.sub(re.escape(kernel.release), "RELEASE", one_line(why))
            # Reasons that differ in a name only are the same.
            why = re.sub(r"system call '[^']*'", "such system call", why)
            fate.append(why)
        if any(fate):
            groups[tuple(fate)].append(name)
    return text + fates([k.name for k in kernels], dict(sorted(groups.items(), key=lambda group: group[1])))


def merged(names):
    """Names as a reader wants them: one for a point and its return, one for the families of system calls that are alike."""
    left = set(names)
    short = []
    for name in names:
        if name not in left:
            continue
        family = re.match(r"(dw|nd|tp)_(syscall\..*)", name)
        alike = [f"{prefix}_{family[2]}" for prefix in ("dw", "nd", "tp")] if family else [name]
        if not left.issuperset(alike):
            alike = [name]
        shown = "{dw,nd,tp}_" + family[2] if len(alike) > 1 else name
        returns = [one + ".return" for one in alike]
        if left.issuperset(returns):
            shown, alike = shown + "[.return]", alike + returns
        left.difference_update(alike)
        short.append(f"`{shown}`")
    return short


def fates(kernels, groups):
    """A list: names that can be used on the same kernels and not on the others for the same reasons stand together."""
    sections = collections.defaultdict(list)
    for fate, members in groups.items():
        usable = [name for name, why in zip(kernels, fate) if not why]
        sections[", ".join(usable)].append(("; ".join(collections.OrderedDict((why, None) for why in fate if why)), members))
    text = ""
    for usable, entries in sections.items():
        text += f"Usable on {usable} only:\n\n" if usable else "Usable on none of them:\n\n"
        for why, members in entries:
            item = "- " + ", ".join(merged(members)) + ": " + why
            text += textwrap.fill(item, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) + "\n"
        text += "\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for option in ("--state", "--kernels", "--document"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    options = parser.parse_args()
    kernels, absent = results.of_kernels(options.kernels, options.state, Kernel)
    if not kernels:
        return 1
    late = " **(more than the {} s it may take)**".format(PREPARE_LIMIT // 1000)
    text = results.table(
        ["kernel", "release", "prepared in"],
        [[k.name, k.release, f"{k.prepared / 1000:.1f} s" + (late if k.prepared > PREPARE_LIMIT else "")] for k in kernels],
    )
    if absent:
        text += f"Not run when this was written: {', '.join(absent)}.\n\n"
    text += tests(kernels) + library(kernels)
    results.replace_between(options.document, BEGIN, END, text)
    return 0


sys.exit(main())
