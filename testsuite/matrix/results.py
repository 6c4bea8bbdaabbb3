# SPDX-License-Identifier: GPL-2.0-or-later
"""What guest tests reported (testsuite/vm/run.sh)."""
import re
import sys


def guest_results(log):
    """Of the report in the file LOG: a dictionary of AREA/NAME to (STATE, TEXT), and the set of those of which the kernel complained.

    STATE is "ok", "failed" or "skipped"; TEXT is what failed, why a test was skipped, or "". A test may be there several times: the last word
    counts.
    """
    cases, trouble, case = {}, set(), None
    for line in log.read_text(errors="replace").splitlines():
        if match := re.match(r"(not )?ok \d+ - (\S+)(?: # (SKIP )?(.*))?", line):
            case = match[2]
            state = "failed" if match[1] else "skipped" if match[3] else "ok"
            cases[case] = (state, match[4] if match[3] else "")
            trouble.discard(case)
        elif case and cases[case][0] == "failed" and (match := re.match(r"#\s+(FAIL: )?(\S.*)", line)):
            # A script's own word is better than the status it leaves.
            if not cases[case][1] or (match[1] and cases[case][1].startswith("exit status")):
                cases[case] = ("failed", match[2])
        if line.startswith("#   the kernel complained"):
            trouble.add(case)
    if not cases:
        raise ValueError(f"{log}: no results")
    return cases, trouble


def of_kernels(list_file, state, one):
    """What ONE(NAME, FOLDER) makes of each kernel that LIST_FILE names, with its folder in STATE; and the names of those without results."""
    kernels, absent = [], []
    for line in list_file.read_text().splitlines():
        if line and not line.startswith("#"):
            name = line.split("\t")[0]
            try:
                kernels.append(one(name, state / name))
            except (OSError, ValueError, TypeError) as error:
                print(f"no results of {name}: {error}", file=sys.stderr)
                absent.append(name)
    return kernels, absent


def table(head, rows):
    """A table of Markdown, and an empty line."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n\n"


def replace_between(document, begin, end, text):
    """Puts TEXT between two lines of the file DOCUMENT."""
    old = document.read_text()
    first = old.index(begin) + len(begin)
    document.write_text(old[:first] + text.rstrip("\n") + "\n" + old[old.index(end, first) :])
