#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Output that cannot be written makes each program fail, and say why. /dev/full takes no byte.

    full_output.py PROGRAMS    the directory that they are in
"""
import os
import pathlib
import signal
import subprocess
import sys

SAID = "standard output cannot be written: No space left on device"
EMPTY_SCRIPT = ["-e", "probe begin { }"]

# Program, arguments, status. That of stap-vm tells its own failures from those of the guest's command.
RUNS = [("stap", arguments, 1) for arguments in (
    ["--help"], ["-V"], ["--dump-functions"], ["--dump-probe-types"], ["--dump-probe-aliases"], ["-l", "begin"],
    ["-L", "begin"], ["report", "--help"], ["report", "--version"],
    *([f"-p{number}", *EMPTY_SCRIPT] for number in (1, 2, 3)))]
RUNS += [(program, [option], status) for program, status in (
    ("staprun", 1), ("stap-report", 1), ("stap-sign", 1), ("stap-server", 1), ("stap-vm", 125))
    for option in ("--help", "--version")]
RUNS += [("stap-docs", ["--help"], 1)]


def run(command, output, **further):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True,
                          timeout=300, check=False, **further)


def main():
    programs = pathlib.Path(sys.argv[1])
    wrong = []
    for program, arguments, status in RUNS:
        path = programs / program
        if program == "stap-server" and not path.exists():
            print(f"{program}: is not built here")
            continue
        name = " ".join([program, *arguments])
        with open("/dev/full", "wb") as full:
            got = run([path, *arguments], full)
        if got.returncode != status or got.stderr.count(SAID) != 1:
            wrong.append(f"{name}: status {got.returncode}, not {status}; says {got.stderr!r}")
        # Not because of anything else: the same works where there is room.
        with open("/dev/null", "wb") as nothing:
            got = run([path, *arguments], nothing)
        if got.returncode or SAID in got.stderr:
            wrong.append(f"{name}: status {got.returncode} where there is room; says {got.stderr!r}")
        # A reader that has gone has what it wanted. "stap report" is another program, which a signal ends.
        for disposition, expected in ((signal.SIG_DFL, -signal.SIGPIPE), (signal.SIG_IGN, 0)):
            if arguments[0] == "report":
                continue
            read_end, write_end = os.pipe()
            os.close(read_end)
            got = run([path, *arguments], write_end, restore_signals=False,
                      preexec_fn=lambda to=disposition: signal.signal(signal.SIGPIPE, to))
            os.close(write_end)
            if got.returncode != expected:
                wrong.append(f"{name}: status {got.returncode} with a closed pipe; says {got.stderr!r}")
    for line in wrong:
        print(line)
    print(f"{len(RUNS)} runs, {len(wrong)} problems")
    return 1 if wrong else 0


sys.exit(main())
