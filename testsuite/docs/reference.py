#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""reference.py STAP_DOCS SOURCE_DIRECTORY: the man pages of the reference and of errors render without a warning of groff or
mandoc. The HTML is well formed and every link leads somewhere. Both have every name of the library that the translator lists."""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

VOID = {"meta", "br", "link", "hr", "img"}


class Page(html.parser.HTMLParser):
    """Open tags, anchors and links of a page, and what is wrong with them."""

    def __init__(self, text):
        super().__init__()
        self.open, self.anchors, self.links, self.problems = [], set(), [], []
        self.feed(text)
        if self.open:
            self.problems.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id" and value in self.anchors:
                self.problems.append(f"two anchors {value}")
            if name == "id":
                self.anchors.add(value)
            if name == "href":
                self.links.append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")


def check_html(directory):
    pages = {path.name: Page(path.read_text()) for path in directory.glob("*.html")}
    problems = [f"{name}: {problem}" for name, page in pages.items() for problem in page.problems]
    for name, page in pages.items():
        for link in page.links:
            if "://" in link:
                continue
            target, _, anchor = link.partition("#")
            target = target or name
            if target not in pages or (anchor and anchor not in pages[target].anchors):
                problems.append(f"{name}: {link} leads nowhere")
    return problems


def check_man(directory):
    files = sorted(str(path) for path in directory.iterdir())
    problems = []
    groff = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-z", *files], capture_output=True, text=True, check=False)
    problems += groff.stderr.splitlines()
    mandoc = subprocess.run(["mandoc", "-Tlint", "-W", "warning", *files], capture_output=True, text=True, check=False)
    return problems + (mandoc.stdout + mandoc.stderr).splitlines()


def check_programs(directory):
    """The programs' own pages are as clean, and each has examples."""
    lacking = [path.name for path in sorted(directory.iterdir()) if not re.search(r"^\.SH EXAMPLES$", path.read_text(), re.M)]
    return check_man(directory) + [f"{name} has no EXAMPLES" for name in lacking]


def check_errors(pages, sources):
    """Each error page is there, and `man` can show all of it: its name, cause, remedy and example."""
    problems = []
    for source in sources.glob("*.md"):
        page = pages / f"{source.stem}.7"
        if not page.exists():
            problems.append(f"{page.name} is missing")
            continue
        shown = subprocess.run(["mandoc", "-Tascii", page], capture_output=True, text=True, check=True).stdout
        shown = re.sub(".\b", "", shown)
        for part in ("NAME", "CAUSE", "REMEDY", "EXAMPLE", "SEE ALSO"):
            if not re.search(rf"^{part}$", shown, re.M):
                problems.append(f"{page.name} shows no section {part}")
        if not re.search(rf"^ +{source.stem} - \S", shown, re.M):
            problems.append(f"{page.name} does not say what it is in one line")
    return problems


def declared_names(tapsets):
    """Public functions by a search that knows nothing of the translator's parser."""
    names = set()
    for path in tapsets.rglob("*.stp"):
        names |= set(re.findall(r"^function ([A-Za-z]\w*)", path.read_text(), re.M))
    return names


def declared_calls(tapsets):
    """Aliases of the tables' calls, likewise."""
    entries = re.findall(r"^call(?:32)? (\w+)(?:/(\w+))?", (tapsets / "syscalls.table").read_text(), re.M)
    return {alias or kernel for kernel, alias in entries} - {"socketcall", "ipc"}


def main():
    stap_docs, source = sys.argv[1], pathlib.Path(sys.argv[2])
    for program in ("groff", "mandoc"):
        if not shutil.which(program):
            print(f"needs the program {program}")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        man, web = pathlib.Path(work, "man"), pathlib.Path(work, "html")
        subprocess.run([stap_docs, "--man", man, "--html", web, "--probes", source / "docs/probes", "--date", "2026-01-01",
                        source / "tapsets"], check=True)
        errors = pathlib.Path(work, "errors")
        subprocess.run([stap_docs, "--man", errors, "--errors", source / "docs/errors", "--date", "2026-01-01"], check=True)
        problems = check_man(man) + check_html(web) + check_man(errors) + check_errors(errors, source / "docs/errors")
        problems += check_programs(source / "docs/man")
        listed = (web / "names.html").read_text()
        for name in sorted(declared_names(source / "tapsets")):
            if not (man / f"function::{name}.3stap").exists() or f">{name}()<" not in listed:
                problems.append(f"function {name} is missing")
        for name in sorted(declared_calls(source / "tapsets")):
            if f">syscall.{name}<" not in listed:
                problems.append(f"syscall.{name} is missing")
    print("\n".join(problems[:50]))
    sys.exit(1 if problems else 0)


main()
