#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what stap reads of an optimized program's variables with what GDB prints at the same stop: places in its code and variables
picked at random, the same ones each time. GDB runs the program here, stap in a guest; the program has the same addresses in both.

    values.py [--release R] [--pairs N] [--seed N] [--level -O2] [--keep DIRECTORY]

Ends with "# N pairs agree, N differ"; exit status 0 if none differs, 1 if one does, 2 if it could not be tried."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = HERE + "/../.."
BITS = (1 << 64) - 1

# Run by GDB. Of each picked place that is reached: the variables of the function (not of those inlined into it) and their values.
ASK = r"""
import gdb, json, re

def numbers(name, value, depth=0):
    "(expression, value) of what can be printed as a number."
    try:
        if value.is_optimized_out:
            return [(name, "absent")]
        kind = value.type.strip_typedefs()
        code = kind.code
        if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM) and kind.sizeof <= 8:
            return [(name, "%x" % (int(value) & (1 << 64) - 1))]
        if code == gdb.TYPE_CODE_PTR:
            return [(name, "%x" % int(value))]
        if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return numbers(name, value.referenced_value(), depth)
        if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and depth < 2:
            found = []
            for field in kind.fields():
                if field.name and not field.is_base_class and not field.artificial and hasattr(field, "bitpos") and re.match(r"\w+$", field.name):
                    found += numbers(name + "->" + field.name, value[field], depth + 1)
            return found
        return []
    except gdb.MemoryError:
        return [(name, "fault")]
    except gdb.error:
        return [(name, "absent")]

def location(frame, name):
    "How GDB describes where a variable is at this place."
    try:
        text = gdb.execute("info address " + name, to_string=True)
    except gdb.error:  # DW_OP_GNU_uninit, here or elsewhere
        try:
            return "not initialized" if "[uninitialized]" in gdb.execute("print " + name, to_string=True) else ""
        except gdb.error:
            return "not initialized"
    ranges = re.findall(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+): (.*?)(?=\n\s*Range 0x|\Z)", text, re.S)
    for low, high, place in ranges:
        if int(low, 16) <= frame.pc() < int(high, 16):
            return place
    return "" if ranges else text

def variables(frame):
    found, seen = [], set()
    block = frame.block()
    while block is not None:
        for symbol in block:
            if symbol.name in seen or not (symbol.is_argument or symbol.is_variable) or not re.match(r"\w+$", symbol.name):
                continue
            seen.add(symbol.name)
            where = location(frame, symbol.name)
            if symbol.addr_class == gdb.SYMBOL_LOC_STATIC:
                continue
            try:
                value = symbol.value(frame)
            except gdb.error:
                found.append((symbol.name, "absent", where))
                continue
            found += [(name, "absent" if where == "not initialized" else text, where) for name, text in numbers(symbol.name, value)]
        if block.function:
            return block.function.name, found
        block = block.superblock
    return "", []

def stop():
    frame = gdb.newest_frame()
    while frame is not None and frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    frame.select()
    function, found = variables(frame)
    stops.append({"pc": frame.pc(), "function": function, "variables": found})

"""


def output(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=False, **options).stdout


def places(program, objects):
    """Addresses of the instructions of the objects' functions, by the disassembly."""
    names = set(re.findall(r"^[0-9a-f]+ [tTwW] (\S+)$", output(["nm", "--defined-only"] + objects), re.M))
    addresses = []
    for part in output(["objdump", "-d", "--no-show-raw-insn", program]).split("\n\n"):
        head = re.match(r"\s*[0-9a-f]+ <([^>]+)>:", part)
        if head and head.group(1) in names:
            addresses += [int(line, 16) for line in re.findall(r"^\s+([0-9a-f]+):", part, re.M)]
    return addresses


def gdb_answers(program, picked, directory):
    script = os.path.join(directory, "ask.py")
    answers = os.path.join(directory, "gdb.json")
    if os.path.exists(answers):
        os.unlink(answers)
    with open(script, "w") as file:
        file.write(ASK + "stops = []\ngdb.execute('set pagination off')\ngdb.execute('set print entry-values no')\n"
                   "for pc in %r:\n    gdb.Breakpoint('*0x%%x' %% pc, temporary=True, internal=True)\n"
                   "gdb.execute('run', to_string=True)\n"
                   "while gdb.selected_inferior().pid:\n    stop()\n    gdb.execute('continue', to_string=True)\n"
                   "json.dump(stops, open(%r, 'w'))\n" % (picked, answers))
    text = output(["env", "-i", "PATH=" + os.environ["PATH"], "gdb", "-nx", "-batch", "-x", script, program], stderr=subprocess.STDOUT,
                  stdin=subprocess.DEVNULL)
    if not os.path.exists(answers):
        print(text[-2000:])
        return []
    with open(answers) as file:
        return json.load(file)


def probe(program, stop):
    lines = ["probe process(\"%s\").statement(0x%x) {" % (program, stop["pc"]), "    if (seen[0x%x]++) next" % stop["pc"]]
    for name, _, _ in stop["variables"]:
        lines.append("    try { if (@defined($%s)) printf(\"@@%x %s %%x\\n\", $%s) else println(\"@@%x %s absent\") } "
                     "catch { println(\"@@%x %s fault\") }" % (name, stop["pc"], name, name, stop["pc"], name, stop["pc"], name))
    return "\n".join(lines + ["}"])


def our_answers(stap, release, program, stops, directory):
    script = os.path.join(directory, "ask.stp")
    with open(script, "w") as file:
        file.write("global seen\n" + "\n".join(probe(program, stop) for stop in stops) + "\n")
    command = [stap] + (["--vm=" + release] if release else []) + ["-w", "-D", "MAXACTION=100000", script, "-c", "setarch -R " + program]
    text = output(command)
    return {(int(pc, 16), name): value for pc, name, value in re.findall(r"^@@([0-9a-f]+) (\S+) (\S+)$", text, re.M)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", default="")
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--level", default="-O2")
    parser.add_argument("--keep")
    options = parser.parse_args()
    stap = os.path.join(os.environ.get("TAPIR_BIN", ROOT + "/build/bin"), "stap")
    temporary = None if options.keep else tempfile.TemporaryDirectory()
    directory = options.keep or temporary.name
    os.makedirs(directory, exist_ok=True)
    program = os.path.join(os.path.realpath(directory), "values")
    objects = []
    for compiler, standard, source in [("gcc", "-std=gnu11", "runtime/fp.c"), ("gcc", "-std=gnu11", "runtime/fp_text.c"),
                                       ("gcc", "-std=gnu11", "testsuite/accept/values_memory.c"),
                                       ("g++", "-std=c++20", "testsuite/accept/values_program.cc")]:
        objects.append(program + os.path.basename(source) + ".o")
        subprocess.check_call([compiler, standard, options.level, "-g", "-c", "-fno-stack-protector", "-I", ROOT, "-I", ROOT + "/runtime",
                               "-I", ROOT + "/runtime/include", ROOT + "/" + source, "-o", objects[-1]])
    subprocess.check_call(["g++", "-static", "-no-pie", "-o", program] + objects)
    addresses = places(program, objects)
    dice = random.Random(options.seed)
    # A place has some four variables, and some places are not reached.
    picked = dice.sample(addresses, min(len(addresses), options.pairs))
    stops = gdb_answers(program, picked, directory)
    stops = [stop for stop in stops if stop["variables"]]
    if not stops:
        print("GDB has shown nothing")
        return 2
    ours = our_answers(stap, options.release, program, stops, directory)
    pairs = [(stop["pc"], stop["function"], name, value, where) for stop in stops for name, value, where in stop["variables"]]
    dice.shuffle(pairs)
    agree = differ = entry = 0
    kinds = {"absent": 0, "fault": 0, "value": 0}
    for pc, function, name, theirs, where in pairs:
        mine = ours.get((pc, name), "no answer")
        if theirs == "absent" and ("entry_value" in where or "parameter_ref" in where):
            entry += 1  # GDB was told not to ask the callers, whom stap asks
        elif agree + differ == options.pairs:
            break
        elif mine == theirs:
            agree += 1
            kinds[theirs if theirs in kinds else "value"] += 1
        else:
            differ += 1
            print("0x%x %.60s $%s: GDB says %s, stap %s (%s)" % (pc, function, name, theirs, mine, " ".join(where.split())))
    print("# %d places, " % len(stops) + ", ".join("%d %s" % (count, kind) for kind, count in sorted(kinds.items())) +
          ", %d known to callers only" % entry)
    print("# %d pairs agree, %d differ" % (agree, differ))
    return 1 if differ else 0 if agree >= options.pairs else 2


sys.exit(main())
