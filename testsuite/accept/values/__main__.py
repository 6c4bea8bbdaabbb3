#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what stap reads of variables with what GDB reads at the same stop: random programs in each language, compiled in every way
that is in matrix.py, stopped at random instructions, lines and entries. GDB runs a program here, stap in a guest.

    values [--release R] [--pairs N] [--seed N] [--variant V] [--jobs N] [--keep DIRECTORY]

Pair: one expression at one stop. --seed is the first program's; those that follow have the numbers after it. Every difference names its
program's seed and variant: --seed N --variant V repeats it alone. Without --seed the clock gives one, which is printed.

Ends with "# N pairs agree, N differ, N refused"; exit status 0 if none differs, 1 if one does, 2 if it could not be tried."""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import c_program  # noqa: E402
import go_program  # noqa: E402
import matrix  # noqa: E402
import rust_program  # noqa: E402
from ask_stap import NO_SIGNALS, Question, Stap  # noqa: E402
from verdict import Figures, judge  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = 45  # of a program, about
PLACES = 40  # of a program; not all are reached
BATCH = 16  # programs of one script and boot
GDB_SECONDS = 600


class Program:
    """One program of the run. `problem` says why it could not be used."""

    def __init__(self, seed, variant, directory):
        self.seed, self.variant = seed, variant
        self.directory = os.path.join(directory, str(seed))
        self.built, self.problem, self.stops = None, "", []
        self.base = None  # in the guest
        self.entry = self.low = self.high = 0

    def name(self):
        return "--seed %d --variant %s" % (self.seed, self.variant)

    def write(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        kind = matrix.COMPILERS[self.variant.compiler]
        if kind == "rs":
            source = rust_program.Program(self.seed)
        elif kind == "go":
            source = go_program.Program(self.seed)
        else:
            source = c_program.Program(self.seed, kind == "cc")
        for unit, text in source.text().items():
            name = "types.h" if unit == "h" else unit + "." + kind
            with open(os.path.join(self.directory, name), "w") as file:
                file.write(('#include "types.h"\n' if unit != "h" and kind in ("c", "cc") else "") + text)
        return source

    def ask_gdb(self, source):
        self.entry, self.low, self.high = self.built.image()
        answers = os.path.join(self.directory, "gdb.json")
        task = {"dice": "%d %s" % (self.seed, self.variant), "entry": self.entry, "low": self.low, "high": self.high, "places": PLACES,
                "functions": self.built.functions(source.probed()), "lines": self.built.lines(),
                "owners": getattr(source, "owners", {}),
                "environment": NO_SIGNALS, "go": self.variant.compiler == "go", "outside": source.outside(), "answers": answers,
                "whole": self.variant.form == "lto"}
        script = os.path.join(self.directory, "ask.py")
        with open(script, "w") as file, open(HERE + "/ask_gdb.py") as text:
            file.write("task = %r\n" % task + text.read())
        try:
            said = subprocess.run(["env", "-i", "PATH=" + os.environ["PATH"], "gdb", "-nx", "-batch", "-x", script, self.built.plain],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, universal_newlines=True,
                                  errors="replace", check=False, cwd=self.directory, timeout=GDB_SECONDS).stdout
        except subprocess.TimeoutExpired:
            said = "has not ended"
        if not os.path.exists(answers) or not os.path.getsize(answers):
            self.problem = "GDB: " + " ".join(said.split()[-40:])
            return
        with open(answers) as file:
            self.stops = [stop for stop in map(json.loads, file) if stop["values"]]

    def prepare(self):
        dice = random.Random("build %d" % self.seed)
        try:
            source = self.write()
            self.built = matrix.Built(self.directory, self.variant, dice)
            self.built.build()
            self.ask_gdb(source)
        except matrix.CannotBuild as error:
            self.problem = str(error)
        return self

    def questions(self, first):
        found = [(stop, said) for stop in self.stops for said in stop["values"]]
        chosen = random.Random("pairs %d" % self.seed).sample(range(len(found)), min(PAIRS, len(found)))
        return [Question(first + i, self, *found[place]) for i, place in enumerate(sorted(chosen))]


class Run:
    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        stap = os.path.join(os.environ.get("TAPIR_BIN", HERE + "/../../../build/bin"), "stap")
        self.stap = Stap(stap, options.release, directory)
        self.figures, self.unusable, self.pairs = Figures(), 0, 0
        self.tried = {axis: {} for axis, _ in matrix.AXES}
        self.seed = options.seed
        self.compilers = matrix.installed()
        for text in matrix.missing():
            print("# " + text)

    def next_programs(self, count):
        if self.options.variant:
            return [Program(self.seed, matrix.Variant.named(self.options.variant), self.directory)]
        seeds = range(self.seed, self.seed + count)
        self.seed += count
        return [Program(seed, matrix.variant_of(seed, self.compilers), self.directory) for seed in seeds]

    def batch(self, count):
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            programs = list(pool.map(Program.prepare, self.next_programs(count)))
        for program in programs:
            if program.problem or not program.stops:
                self.unusable += 1
                print("# %s cannot be tried: %s" % (program.name(), program.problem or "GDB has shown nothing"))
        programs = [program for program in programs if not program.problem and program.stops]
        questions = []
        for program in programs:
            for axis, counts in self.tried.items():
                value = getattr(program.variant, axis)
                counts[value] = counts.get(value, 0) + 1
            questions += program.questions(len(questions))
        made = time.monotonic()
        problem = self.stap.answers(questions, programs) if questions else "no program"
        if problem:
            print("# " + problem.replace("\n", "\n# "))
        self.stap.reasons(questions)
        for program in programs:
            self.report([question for question in questions if question.program is program])
        self.pairs += len(questions)
        print("# %d programs, %d pairs: %d s to build and for GDB, %d s for stap" %
              (len(programs), len(questions), made - start, time.monotonic() - made), flush=True)
        if not self.options.keep:
            for program in programs:
                shutil.rmtree(program.directory, ignore_errors=True)
        return len(questions)

    def report(self, questions):
        """All of one program."""
        differ = []
        for question in questions:
            verdict, what = judge(question)
            self.figures.add(question.program.variant.level, verdict, what)
            if verdict == "differ":
                differ.append(question)
        if all(question.answer == "no answer" for question in questions):
            reasons = sorted({question.reason for question in questions if question.reason})
            print("%s%s: stap answers none of %d questions: %s" % ("" if differ else "# ", questions[0].program.name(), len(questions),
                                                                   "; ".join(reasons[:1])))
            return
        for question in differ:
            stop = question.stop
            print("%s: %s 0x%x %.60s%s hit %d, %s: GDB says %s, stap %s%s (%s)" %
                  (question.program.name(), stop["kind"], stop["pc"], stop["function"], " " + stop["point"] if "point" in stop else "",
                   stop["nth"], question.expr, question.theirs, question.normal(), ": " + question.reason if question.reason else "",
                   question.where))

    def all(self):
        print("# seed %d" % self.seed)
        wanted = 1 if self.options.variant else self.options.pairs
        while self.pairs < wanted:
            missing = -(-(wanted - self.pairs) // PAIRS)
            if not self.batch(min(BATCH, missing)):
                break
        for counts in self.tried.values():
            print("# programs: " + ", ".join("%s %d" % pair for pair in sorted(counts.items())))
        for line in self.figures.lines():
            print(line)
        for verdict, what in [("unreadable", "of programs that the installed libdw cannot read"),
                              ("unchecked", "that stap reads and GDB does not: of callers, behind the prologue, or in pieces")]:
            if self.figures.total(verdict):
                print("# %d pairs %s" % (self.figures.total(verdict), what))
        if self.unusable:
            print("# %d programs could not be tried" % self.unusable)
        differ = self.figures.total("differ")
        print("# %d pairs agree, %d differ, %d refused" % (self.figures.total("agree"), differ, self.figures.total("refused")))
        enough = self.pairs >= wanted and self.unusable <= sum(self.tried["level"].values()) / 4
        return 1 if differ else 0 if enough else 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--release", default="", help="of the guest's kernel; without it stap runs here")
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**8)
    parser.add_argument("--variant", help="as a difference names it; one program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a directory for programs and scripts, which stay there")
    options = parser.parse_args()
    directory = os.path.realpath(options.keep or tempfile.mkdtemp())
    os.makedirs(directory, exist_ok=True)
    try:
        return Run(options, directory).all()
    finally:
        if not options.keep:
            shutil.rmtree(directory, ignore_errors=True)


sys.exit(main())
