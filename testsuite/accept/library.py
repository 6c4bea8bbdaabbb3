#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every public name of the tapset library, for one kernel.

All functions are called in one script, which has to become a module. Nothing in the library may read
a variable that nothing sets. All aliases are probed; the ones that cannot be resolved have to be in a table (aliases.tsv) that says why:

    alias (with * and ?) <TAB> part of the error's message <TAB> reason

(an alias after a "~" may be there as well).

Status 0 if everything is as the table says, else 1; each difference is a line.

    library.py [--release R] [--bin DIR] [--table FILE]

With --table nothing is expected: FILE gets a line for each name, "function" or "alias", the name, and why it cannot be used on this
kernel, or nothing.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# An argument for each type; an unknown one is never used.
VALUES = {"long": "1", "string": '"1"', "unknown": "1"}


# The tree's library alone: what other packages and the user have is not searched.
ENVIRONMENT = {**os.environ, "XDG_DATA_DIRS": "/nonexistent", "XDG_DATA_HOME": "/nonexistent"}


def run(stap, *arguments, script=None):
    command = [str(stap), *arguments, *(["-"] if script is not None else [])]
    return subprocess.run(command, input=script, text=True, capture_output=True, env=ENVIRONMENT)


def every_call(stap, release):
    """(name, call, statement) of each function."""
    listed = run(stap, "-r", release, "--dump-functions").stdout.splitlines()
    calls = []
    for line in listed:
        name, result, parameters = re.match(r"(\w+):(\w+) \(([^)]*)\)", line).groups()
        values = [VALUES[p.split(":")[1]] for p in parameters.split(", ") if p]
        call = f"{name}({', '.join(values)})"
        calls.append((name, call, f"s = s . sprint({call})" if result == "long" else f"s = s . {call}" if result == "string" else call))
    return calls


def translate_calls(stap, release, calls, last_pass):
    # One statement per line, so that an error's line says which. abort() and the like end a handler, so each call is on a way that the
    # translator cannot foresee.
    body = "\n".join(f"if (pid() == {1000000 + i}) {{ {statement} }}" for i, (_, _, statement) in enumerate(calls))
    script = "probe begin, timer.s(1) { s = \"\"\n" + body + "\nprintln(s) }\n"
    return run(stap, "-g", "-r", release, last_pass, "--suppress-time-limits", script=script)


def without_warnings(done):
    """What a body of the library reads and nothing sets is a mistake in it."""
    warnings = [line for line in done.stderr.splitlines() if line.startswith("WARNING: never-assigned")]
    for line in warnings:
        print(f"# {line}")
    return not warnings


def first_error(text):
    message = re.search(r"error: (.*)", text, re.I)
    # Where it is does not matter to the reader of a table.
    return re.sub(r": (identifier|operator|string|keyword) .*", "", message[1]) if message else text.strip().split("\n")[0]


def last_error(text):
    """The cause: what follows from it is told before."""
    messages = [first_error(block) for block in text.split("\n\n") if "error: " in block and "Pass " not in block]
    return messages[-1] if messages else first_error(text)


def check_functions(stap, release):
    calls = every_call(stap, release)
    done = translate_calls(stap, release, calls, "-p4")
    print(f"# {len(calls)} functions" + ("" if done.returncode == 0 else ": " + done.stderr[:3000]))
    return without_warnings(done) and done.returncode == 0 and len(calls) > 500


def function_rows(stap, release):
    calls = every_call(stap, release)
    rows = []
    if translate_calls(stap, release, calls, "-p2").returncode:
        good = [call for call in calls if translate_calls(stap, release, [call], "-p2").returncode == 0]
        for call in calls:
            # Some need others, which tell the types of what they share.
            done = None if call in good else translate_calls(stap, release, good + [call], "-p2")
            rows.append(("function", call[0], first_error(done.stderr) if done and done.returncode else ""))
        calls = [call for call, row in zip(calls, rows) if not row[2]]
    else:
        rows = [("function", name, "") for name, _, _ in calls]
    done = translate_calls(stap, release, calls, "-p4")
    if done.returncode:
        sys.exit(f"the functions that resolve do not make a module: {done.stderr[:3000]}")
    print(f"# {len(rows)} functions, {sum(1 for row in rows if row[2])} of them not on this kernel")
    return rows


def alias_errors(stap, release, names):
    """The error of each alias that does not resolve, as far as one run tells."""
    script = "\n".join(f"probe {name} {{ println(pp()) }}" for name in names)
    done = run(stap, "-g", "-r", release, "-p2", "-v", "--semantic-keep-going", script=script + "\n")
    if not without_warnings(done):
        sys.exit(1)
    # The last message before the next alias's is the cause. Errors in an alias's body do not give its name.
    failed, name = {}, "?"
    for block in done.stderr.split("\n\n"):
        message = re.search(r"^(?:semantic|parse) error: (.*)", block, re.M)
        mine = re.search(r"source: probe (\S.*) \{ println\(pp\(\)\) \}$", block, re.M)
        if mine:
            name = mine[1]
        if message:
            failed[name] = message[1]
    return failed


def alias_names(stap, release):
    listed = run(stap, "-r", release, "--dump-probe-aliases").stdout.splitlines()
    # Calls of other kernels are listed with -v only.
    listed += [line for line in run(stap, "-v", "-r", release, "--dump-probe-aliases").stdout.splitlines() if line.startswith("syscall.")]
    # A name with an argument, such as stap.pass0("x"), is as it is written.
    return sorted({re.split(r" \+?= ", line)[0] for line in listed})


def failing_aliases(stap, release):
    """Names of all aliases, and the error of each that does not resolve."""
    names = alias_names(stap, release)
    return names, alias_errors(stap, release, names)


def alias_rows(stap, release):
    names = alias_names(stap, release)
    failed, left = {}, names
    while errors := alias_errors(stap, release, left):
        suspects = [name for name in left if name in errors]
        if not suspects:
            # Told of none: one by one.
            suspects = left
        for name in suspects:
            done = run(stap, "-g", "-r", release, "-p2", script=f"probe {name} {{ println(pp()) }}\n")
            if done.returncode:
                failed[name] = last_error(done.stderr)
        # Those that are good alone were named for others, whose turn comes without them.
        left = [name for name in left if name not in suspects]
    print(f"# {len(names)} aliases, {len(failed)} of them not on this kernel")
    return [("alias", name, failed.get(name, "")) for name in names]


def check_aliases(stap, release):
    names, failed = failing_aliases(stap, release)
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
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    stap = options.bin.resolve() / "stap"
    if options.table:
        rows = function_rows(stap, options.release) + alias_rows(stap, options.release)
        options.table.write_text("".join("\t".join(row) + "\n" for row in rows))
        return 0
    good = [check_functions(stap, options.release), check_aliases(stap, options.release)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
