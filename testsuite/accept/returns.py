#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what stap reads when functions have returned, $return and @entry(), with what GDB reads then: random functions with
results of many types, in C and C++, at several levels of optimization. GDB runs the programs here, stap in a guest.

    returns.py [--release R] [--values N] [--seed N] [--keep DIRECTORY]

Ends with "# N values agree, N differ, N refused"; exit status 0 if none differs or is refused, 1 if one is, 2 if it could not be tried."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = HERE + "/../.."
CALLS = 5  # of each function
FUNCTIONS = 20  # of each program

INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "_Bool"]
# Members by their names: "i" is an integer, "d" and "f" are numbers with fractions.
STRUCTURES = {
    "small": [("int", "a", "i"), ("short", "b", "i")],
    "word": [("char", "a", "i"), ("unsigned", "b", "i"), ("long", "c", "i")],
    "mixed": [("long", "a", "i"), ("double", "b", "d")],
    "turned": [("double", "a", "d"), ("unsigned char", "b", "i")],
    "fractions": [("double", "a", "d"), ("double", "b", "d")],
    "halves": [("float", "a", "f"), ("float", "b", "f")],
    "large": [("long", "a", "i"), ("short", "b", "i"), ("double", "c", "d"), ("long", "d", "i")],
}
TYPES = INTEGERS + ["char *", "double", "float"] + ["struct " + name for name in STRUCTURES]

ASK_GDB = r"""
import struct
def bits(value):
    kind = value.type.strip_typedefs()
    size = kind.sizeof
    if kind.code == gdb.TYPE_CODE_FLT:
        return struct.unpack("<Q" if size == 8 else "<I", struct.pack("<d" if size == 8 else "<f", float(value)))[0]
    return int(value) & ((1 << 64) - 1)
def shown(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return " ".join("%x" % bits(value[field]) for field in kind.fields())
    return "%x" % bits(value)
gdb.execute("set pagination off")
gdb.execute("set disable-randomization on")
gdb.execute("rbreak ^f[0-9]", to_string=True)
gdb.execute("run >/dev/null", to_string=True)
while gdb.selected_inferior().pid:
    frame = gdb.newest_frame()
    name, given = frame.name().split("(")[0], shown(frame.read_var("p"))
    gdb.execute("finish", to_string=True)
    print("@@", name, shown(gdb.history(0)), "|", given, flush=True)
    gdb.execute("continue", to_string=True)
"""


class Function:
    def __init__(self, dice, number):
        self.name, self.result, self.given = "f%d" % number, dice.choice(TYPES), dice.choice(INTEGERS + ["char *"])
        self.noise = dice.randrange(1, 1 << 40)
        self.is_left_often = dice.random() < 0.5

    def value(self, kind, number):
        text = "(%s)(n * %dL + %dL)" % (kind, 2 * number + 3, self.noise >> number)
        return text if kind != "_Bool" else "(n >> %d & 1)" % number

    def text(self):
        if self.result.startswith("struct"):
            made = "%s r;\n" % self.result
            for i, (kind, name, form) in enumerate(STRUCTURES[self.result[7:]]):
                made += "    r.%s = %s;\n" % (name, self.value("long" if form != "i" else kind, i) + ("/ 8" if form != "i" else ""))
        else:
            fraction = self.result in ("double", "float")
            made = "%s r = %s;\n" % (self.result, self.value("int", 1) + "/ (%s)8" % self.result if fraction else self.value(self.result, 1))
        early = "    if (n & 4) return r;\n    sink = (int)n;\n" if self.is_left_often else ""
        return ("__attribute__((noinline, noclone)) %s %s(%s p)\n{\n    long n = (long)p ^ sink;\n    %s%s    return r;\n}\n" %
                (self.result, self.name, self.given, made, early))

    def probe(self):
        members = [name for _, name, _ in STRUCTURES.get(self.result[7:], [])] if self.result.startswith("struct") else []
        values = ["$return->" + name for name in members] or ["$return"]
        return ('probe process(@1).function("%s").return { printf("@@ %s %s| %%x\\n", %s, @entry($p)) }\n' %
                (self.name, self.name, "%x " * len(values), ", ".join(values)))


def program(dice, functions):
    text = "static volatile long sink;\n"
    for name, members in STRUCTURES.items():
        text += "struct %s { %s };\n" % (name, " ".join("%s %s;" % member[:2] for member in members))
    text += "".join(function.text() for function in functions)
    calls = [function for function in functions for _ in range(CALLS)]
    dice.shuffle(calls)
    text += "int main(void)\n{\n"
    text += "".join("    (void)%s((%s)%dL);\n" % (call.name, call.given, dice.randrange(-(1 << 33), 1 << 33)) for call in calls)
    return text + "    return 0;\n}\n"


def lines_of(text):
    """"f3 17 | 2a" -> the words; narrow values have only the bits of their type in both."""
    return [line.split() for line in re.findall(r"^@@ (.*)$", text, re.M)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", default="")
    parser.add_argument("--values", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        return compare(arguments, arguments.keep)
    with tempfile.TemporaryDirectory() as directory:
        return compare(arguments, directory)


def compare(arguments, directory):
    stap = os.environ.get("STAP", ROOT + "/build/bin/stap")
    with open(directory + "/ask.py", "w") as file:
        file.write(ASK_GDB)
    programs, expected, problems = [], {}, []
    print("# seed %d" % arguments.seed)
    while sum(len(line) - 2 for lines in expected.values() for line in lines) < arguments.values:
        number = len(programs)
        dice = random.Random("%d %d" % (arguments.seed, number))
        functions = [Function(dice, i) for i in range(FUNCTIONS)]
        compiler, suffix = [("gcc", "c"), ("g++", "cc")][number % 2]
        path = "%s/program%d" % (directory, number)
        with open("%s.%s" % (path, suffix), "w") as file:
            file.write(program(dice, functions))
        with open(path + ".stp", "w") as file:
            file.write("".join(function.probe() for function in functions))
        level = dice.choice(["-O0", "-O1", "-O2", "-O3", "-Os"])
        subprocess.check_call([compiler, "-g", "-w", level, "-D_Bool=bool" if suffix == "cc" else "-w", "-o", path, "%s.%s" % (path, suffix)])
        said = subprocess.run(["gdb", "-q", "-nx", "-batch", "-x", directory + "/ask.py", path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, check=False)
        expected[path] = lines_of(said.stdout)
        if len(expected[path]) != FUNCTIONS * CALLS:
            sys.stderr.write("GDB has seen %d of %d calls in %s\n%s" % (len(expected[path]), FUNCTIONS * CALLS, path, said.stderr))
            return 2
        programs.append(path)
    agree = differ = refused = 0
    for path in programs:
        command = [stap, "-w", *(["--vm=" + arguments.release] if arguments.release else []), path + ".stp", path, "-c", path]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
        answers = lines_of(done.stdout)
        if done.returncode != 0 or len(answers) != len(expected[path]):
            problems.append("%s: stap has seen %d of %d calls\n%s" % (path, len(answers), len(expected[path]), done.stderr[-3000:]))
            refused += len(expected[path]) - len(answers)
            continue
        for ours, theirs in zip(answers, expected[path]):
            same = sum(a == b for a, b in zip(ours, theirs)) - 2
            agree += same
            if ours != theirs:
                differ += len(theirs) - 2 - same
                problems.append("%s: GDB says %s, stap %s" % (path, " ".join(theirs), " ".join(ours)))
    print("\n".join(problems[:20]))
    print("# %d programs" % len(programs))
    print("# %d values agree, %d differ, %d refused" % (agree, differ, refused))
    return 1 if differ or refused else 0


if __name__ == "__main__":
    sys.exit(main())
