#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares where stap finds variables at the entry of kernel functions with where GDB finds them in the same debug
information: pairs (function, variable) picked at random, the same ones each time. GDB also names places in the function's frame,
which has no content yet: stap has none.

    locations.py [--release R] [--pairs N] [--seed N] VMLINUX

Ends with "# N pairs agree, N differ"; exit status 0 if none differs, 1 if one does, 2 if it could not be tried."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

# GDB's names in DWARF's numbering.
REGISTERS = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % n for n in range(8, 16)]


def output(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=False, **options).stdout


def functions(stap, release):
    """Names of functions that there is one of."""
    points = output([stap, "-l", 'kernel.function("*").call', "-r", release]).split("\n")
    names = {}
    for point in points:
        found = re.match(r'kernel\.function\("(\w+)@', point)
        if found:
            names[found.group(1)] = names.get(found.group(1), 0) + 1
    return sorted(name for name, count in names.items() if count == 1)


# Run by GDB. Where the code of an inlined function comes first, its variables would be shown, not the function's.
SHOW_SCOPE = """
def show_scope(name, address):
    block = gdb.block_for_pc(address)
    while block and not block.function:
        block = block.superblock
    if block and block.function.name == name:
        gdb.execute("info scope *0x%x" % address)
"""


def gdb(vmlinux, commands):
    with tempfile.NamedTemporaryFile("w", suffix=".gdb", delete=False) as script:
        # A command that fails would end a plain list of commands.
        script.write("set pagination off\nset width 0\npython\n" + SHOW_SCOPE + "for command in %r:\n    try:\n"
                     "        gdb.execute(command)\n    except gdb.error as error:\n        print(error)\nend\n" % commands)
    try:
        return output(["gdb", "-nx", "-batch", "-x", script.name, vmlinux], stderr=subprocess.STDOUT)
    finally:
        os.unlink(script.name)


def gdb_place(text, pc):
    """Where one "Symbol NAME is ..." of info scope says the variable is at pc; None for what is not compared."""
    if text.startswith("multi-location:"):
        text = re.sub(r"Base address 0x[0-9a-f]+", "", text)
        for low, high, place in re.findall(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+): (.*?)(?=Range 0x|, length|$)", text, re.S):
            if int(low, 16) <= pc < int(high, 16):
                return gdb_place(place, pc)
        return "absent"
    if "-byte piece" in text:
        return None
    if "optimized out" in text:
        return "absent"
    found = re.match(r"a variable in \$(\w+)", text)
    if found:
        return "register %d" % REGISTERS.index(found.group(1)) if found.group(1) in REGISTERS else None
    found = re.match(r"a variable at frame base reg \$(\w+) offset (-?\d+)(?:\+(-?\d+))?", text)
    if found:
        return "memory %d%+d" % (REGISTERS.index(found.group(1)), int(found.group(2)) + int(found.group(3) or 0))
    found = re.match(r"a (?:complex DWARF expression|variable with complex DWARF expression[^:]*):(.*)", text, re.S)
    if found:
        steps = re.findall(r"\d+: (DW_OP_\w+)(?: (-?\d+))?", found.group(1))
        if len(steps) == 1 and steps[0][0] == "DW_OP_fbreg":
            # The frame base is the CFA: at the entry, the stack pointer plus the return address.
            return "memory 7%+d" % (int(steps[0][1]) + 8)
        if len(steps) == 2 and re.match(r"DW_OP_lit\d+$|DW_OP_const", steps[0][0]) and steps[1][0] == "DW_OP_stack_value":
            value = steps[0][1] or steps[0][0][len("DW_OP_lit"):]
            return "constant %d" % int(value)
    return None


def gdb_answers(vmlinux, names):
    """{(function, variable): place}"""
    addresses = {}
    for name, address in re.findall(r'Symbol "(\w+)" is a function at address (0x[0-9a-f]+)',
                                    gdb(vmlinux, ["info address " + name for name in names])):
        addresses[name] = int(address, 16)
    commands = []
    for name, address in addresses.items():
        commands += ["echo @@%s\\n" % name, "python show_scope(%r, 0x%x)" % (name, address)]
    answers = {}
    for part in gdb(vmlinux, commands).split("@@")[1:]:
        name, _, text = part.partition("\n")
        for variable, place in re.findall(r"^(?:.*contains locals or arguments:\n)?Symbol (\w+) is (.*?)(?=^Symbol |\Z)", text, re.S | re.M):
            answers.setdefault((name, variable), gdb_place(place, addresses[name]))
    return answers


def our_place(text):
    """Of an expression of `stap -p2 -v`."""
    if text.startswith('"absent"'):
        return "absent"
    # Small types are cut out of a register.
    cut = re.match(r"^\(\((.*) << \d+\) >>>? \d+\)$", text)
    if cut:
        text = cut.group(1)
    found = re.match(r"^(?:__pretty_\d+\()?@kregister\((\d+)\)\)?$", text)
    if found:
        return "register %s" % found.group(1)
    found = re.match(r"^@kderef\(\d+, \(@kregister\((\d+)\) ([+-]) \(?(-?\d+)\)?\)\)$", text)
    if found:
        return "memory %s%+d" % (found.group(1), int(found.group(3)) * (1 if found.group(2) == "+" else -1))
    found = re.match(r"^@kderef\(\d+, @kregister\((\d+)\)\)$", text)
    if found:
        return "memory %s+0" % found.group(1)
    found = re.match(r"^\(@kregister\((\d+)\) \+ \(?(-?\d+)\)?\)$", text)  # the address of a structure
    if found:
        return "memory %s%+d" % (found.group(1), int(found.group(2)))
    found = re.match(r"^\(?(-?\d+)\)?$", text)
    if found:
        return "constant %s" % found.group(1)
    return text


def our_answers(stap, release, pairs):
    with tempfile.NamedTemporaryFile("w", suffix=".stp", delete=False) as script:
        for function, variable in pairs:
            # A structure cannot be read as a number: where it is says as much, and its text if it is in a register.
            script.write('probe kernel.function("%s").call ? { printdln(" ", "@@", "%s", "%s", @defined($%s) ? $%s : '
                         '@defined(&$%s) ? &$%s : @defined($%s$) ? $%s$ : "absent") }\n'
                         % ((function, function, variable) + (variable,) * 6))
    try:
        text = output([stap, "-p2", "-v", "-u", "-g", "-w", "-r", release, script.name])
    finally:
        os.unlink(script.name)
    answers = {}
    for function, variable, place in re.findall(r'printdln\(" ", "@@", "(\w+)", "(\w+)", (.*)\);$', text, re.M):
        # A part of a function that the compiler made a function of its own has the same name.
        answers.setdefault((function, variable), set()).add(our_place(place))
    return answers


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", default=os.uname().release)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("vmlinux")
    options = parser.parse_args()
    stap = os.path.join(os.environ.get("TAPIR_BIN", here + "/../../build/bin"), "stap")
    names = functions(stap, options.release)
    if not names:
        print("no functions found")
        return 2
    picked = random.Random(options.seed).sample(names, min(len(names), options.pairs))
    theirs = {pair: place for pair, place in gdb_answers(options.vmlinux, picked).items() if place}
    pairs = sorted(theirs)
    random.Random(options.seed).shuffle(pairs)
    pairs = pairs[:options.pairs]
    ours = our_answers(stap, options.release, pairs)
    agree = differ = 0
    kinds = {}
    for pair in pairs:
        places = ours.get(pair, {"no answer"})
        kind = theirs[pair].split()[0]
        kinds[kind] = kinds.get(kind, 0) + 1
        # Below the stack pointer is the function's own frame, in which nothing is at its first instruction.
        empty = re.match(r"memory 7-\d+$", theirs[pair]) and places == {"absent"}
        if theirs[pair] in places or empty:
            agree += 1
        else:
            differ += 1
            print("%s $%s: GDB says %s, stap %s" % (pair + (theirs[pair], " or ".join(sorted(places)))))
    print("# " + ", ".join("%d %s" % (count, kind) for kind, count in sorted(kinds.items())))
    print("# %d pairs agree, %d differ" % (agree, differ))
    return 2 if not pairs else 1 if differ else 0


sys.exit(main())
