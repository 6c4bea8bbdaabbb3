#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every public name of the tapset library, for one kernel.

All functions are called in one script, which has to become a module. All aliases are probed; the
ones that cannot be resolved have to be in a table (aliases.tsv) that says why:

    alias (with * and ?) <TAB> part of the error's message <TAB> reason

(an alias after a "~" may be there as well).

Status 0 if everything is as the table says, else 1; each difference is a line.

    library.py [--release R] [--bin DIR]
"""
import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# What an argument is, by its type; an unknown one is never used.
VALUES = {"long": "1", "string": '"1"', "unknown": "1"}


def run(stap, *arguments, script=None):
    return subprocess.run([str(stap), *arguments, *(["-"] if script is not None else [])], input=script, text=True, capture_output=True)


def check_functions(stap, release):
    listed = run(stap, "-r", release, "--dump-functions").stdout.splitlines()
    calls, texts = [], []
    for line in listed:
        name, result, parameters = re.match(r"(\w+):(\w+) \(([^)]*)\)", line).groups()
        values = [VALUES[p.split(":")[1]] for p in parameters.split(", ") if p]
        call = f"{name}({', '.join(values)})"
        texts.append(call)
        # One statement per line, so that an error's line says which.
        calls.append(f"s = s . sprint({call})" if result == "long" else f"s = s . {call}" if result == "string" else call)
    # abort() and the like end a handler, so each call is on a way that the translator cannot foresee.
    body = "\n".join(f"if (pid() == {1000000 + i}) {{ {call} }}" for i, call in enumerate(calls))
    script = "probe begin, timer.s(1) { s = \"\"\n" + body + "\nprintln(s) }\n"
    done = run(stap, "-g", "-r", release, "-p4", "--suppress-time-limits", script=script)
    print(f"# {len(listed)} functions" + ("" if done.returncode == 0 else ": " + done.stderr[:3000]))
    return done.returncode == 0 and len(listed) > 500


def check_aliases(stap, release):
    listed = run(stap, "-r", release, "--dump-probe-aliases").stdout.splitlines()
    # Calls of other kernels are listed with -v only.
    listed += [line for line in run(stap, "-v", "-r", release, "--dump-probe-aliases").stdout.splitlines() if line.startswith("syscall.")]
    # A name with an argument, such as stap.pass0("x"), is as it is written.
    names = sorted({line.split(" = ")[0] for line in listed})
    script = "\n".join(f"probe {name} {{ println(pp()) }}" for name in names)
    done = run(stap, "-g", "-r", release, "-p2", "-v", "--semantic-keep-going", script=script + "\n")
    # The last message before the next alias's is the cause. What goes wrong in an alias's body is not told with its name.
    failed, name = {}, "?"
    for block in done.stderr.split("\n\n"):
        message = re.search(r"^(?:semantic|parse) error: (.*)", block, re.M)
        mine = re.search(r"source: probe (\S.*) \{ println\(pp\(\)\) \}$", block, re.M)
        if mine:
            name = mine[1]
        if message:
            failed[name] = message[1]
    rows = [row.split("\t") for row in (HERE / "aliases.tsv").read_text().splitlines() if row and not row.startswith("#")]
    wrong, unused = 0, {tuple(row) for row in rows}
    for name, message in failed.items():
        matching = [row for row in rows if fnmatch.fnmatchcase(name, row[0].lstrip("~")) and row[1] in message]
        if not matching:
            wrong += 1
            print(f"# {name}: {message}")
        unused -= {tuple(row) for row in matching}
    for row in sorted(row for row in unused if not row[0].startswith("~")):
        wrong += 1
        print(f"# {row[0]}: resolves, though the table says: {row[2]}")
    print(f"# {len(names)} aliases, {len(failed)} of them not on this kernel")
    return wrong == 0 and len(names) > 500


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--release", default=os.uname().release)
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent.parent / "build/bin")
    options = parser.parse_args()
    stap = options.bin.resolve() / "stap"
    good = [check_functions(stap, options.release), check_aliases(stap, options.release)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
