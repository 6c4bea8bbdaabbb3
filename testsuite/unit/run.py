#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the unit tests that a build tree holds, each program of them as a whole, and prints a TAP line for each test.

Usage: run.py BUILD [--jobs N] [TEST...]

TEST is a name as in the output, SUITE.NAME; without one, all run. Tests that a program did not reach, because another one crashed or
took too long, run in another process. All have one TMPDIR, which is removed at the end and by signals. TAPIR_PATIENCE multiplies the time that a program may go without a word (60 s).
"""
import argparse
import concurrent.futures
import glob
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ENDED = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:, where .*)? \((\d+) ms\)$")
BEGUN = re.compile(r"\[ RUN +\] (\S+)$")


# Programs with the longest tests begin, so that none is left alone at the end.
FIRST = ["test_remote", "test_dwarf", "test_native", "test_build", "test_vm"]


RUNNING = set()


class Result:
    def __init__(self, name, status, milliseconds, text):
        self.name, self.status, self.milliseconds, self.text = name, status, milliseconds, text


def lines_of(process, silence):
    """The lines that `process` prints; None when it prints none for `silence` seconds."""
    pending = b""
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(silence):
                yield None
                return
            data = process.stdout.read()
            if not data:
                break
            *lines, pending = (pending + data).split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
    if pending:
        yield pending.decode(errors="replace")


def run_once(program, wanted, silence):
    """The results of one process of `program`, and whether it came to its end. `wanted` is a filter of GoogleTest."""
    results, name, text = [], None, []
    process = subprocess.Popen([program, "--gtest_color=no", f"--gtest_filter={wanted}"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    RUNNING.add(process)
    reason = None
    for line in lines_of(process, silence):
        if line is None:
            os.killpg(process.pid, 9)
            reason = f"took longer than {silence:.0f} s"
            break
        # Output of a test without a final newline stands before the next line.
        if begun := BEGUN.search(line):
            name, text = begun[1], []
        elif (ended := ENDED.search(line)) and ended[2] == name:
            results.append(Result(name, ended[1], int(ended[3]), text))
            name, text = None, []
        else:
            text.append(line)
    status = process.wait()
    RUNNING.discard(process)
    if name:
        ending = f"signal {-status}" if status < 0 else f"status {status}"
        results.append(Result(name, "FAILED", 0, text + [f"the program {reason or 'ended with ' + ending}"]))
    elif not results and status:
        results.append(Result(os.path.basename(program), "FAILED", 0, text + [f"ended with status {status}"]))
    return results, name is None


def run(program, tests, silence):
    results = []
    while True:
        done = ":".join(result.name for result in results)
        more, whole = run_once(program, f"{':'.join(tests) or '*'}{'-' + done if done else ''}", silence)
        results += more
        if whole:
            return results


def end(number, _frame):
    """The end by a signal: of the programs, too, and of what they leave behind."""
    for process in list(RUNNING):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)
    os._exit(128 + number)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("tests", nargs="*", metavar="TEST")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    silence = 60 * float(os.environ.get("TAPIR_PATIENCE", 2))
    programs = glob.glob(os.path.join(options.build, "bin/test_*"))
    if not programs:
        print(f"run.py: no test programs in {options.build}/bin: build with -DTAPIR_TESTS=ON", file=sys.stderr)
        return 2
    programs.sort(key=lambda program: (os.path.basename(program) not in FIRST, program))
    counts = {"OK": 0, "FAILED": 0, "SKIPPED": 0}

    def timed(program):
        begun = time.monotonic()
        return program, run(program, options.tests, silence), time.monotonic() - begun

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job in concurrent.futures.as_completed([pool.submit(timed, program) for program in programs]):
            program, results, seconds = job.result()
            if results:
                print(f"# {os.path.basename(program)}: {seconds:.1f} s")
            for result in results:
                counts[result.status] += 1
                skip = f" # SKIP {' '.join(result.text)}" if result.status == "SKIPPED" else f" # {result.milliseconds / 1000:.2f} s"
                print(f"{'not ok' if result.status == 'FAILED' else 'ok'} {sum(counts.values())} - {result.name}{skip}")
                if result.status == "FAILED":
                    print("".join(f"#   {line}\n" for line in result.text), end="")
            sys.stdout.flush()
    print(f"# {counts['OK']} passed, {counts['FAILED']} failed, {counts['SKIPPED']} skipped")
    return 1 if counts["FAILED"] or not counts["OK"] else 0


with tempfile.TemporaryDirectory(prefix="tapir-unit-", ignore_cleanup_errors=True) as directory:
    os.environ["TMPDIR"] = directory
    os.chmod(directory, 0o755)  # tests act as other users, too
    for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    status = main()
sys.exit(status)
