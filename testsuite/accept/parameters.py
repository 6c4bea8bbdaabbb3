#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what stap reads of parameters, at entries and returns of functions, with what the program passes: functions with parameters
made at random, in C, C++ and Rust, compiled by each compiler that is installed at several levels. The program says what it passes.

    parameters.py [--release R] [--functions N] [--seed N] [--keep DIRECTORY] [--only COMPILER[-OPTION]...] [--option STAP-OPTION]

Ends with "# N values agree, N differ, N absent"; exit status 0 if none differs and none is absent that has to be there, 1 if not, 2 if it
could not be tried. Values that optimized code has dropped may be absent, never wrong."""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = HERE + "/../.."
BITS = (1 << 64) - 1
CALLS = 2  # of each function
# The message of stap on a parameter that optimized code has overwritten where the probe is.
LOST = "only the caller of this function has this parameter"

INTEGERS = {"signed char": -8, "unsigned char": 8, "short": -16, "unsigned short": 16, "int": -32, "unsigned int": 32, "long": -64,
            "unsigned long": 64, "long long": -64, "char": -8, "_Bool": 1}
RUST_INTEGERS = {"i8": -8, "u8": 8, "i16": -16, "u16": 16, "i32": -32, "u32": 32, "i64": -64, "u64": 64, "usize": 64, "bool": 1}


def shown(value, width):
    """As stap prints it in hexadecimal."""
    return "%x" % (value & BITS if width < 0 else value & ((1 << width) - 1))


def bits(value, type_name):
    """Of floating-point numbers stap prints the bits; "" for those that it does not read."""
    form = {"float": "<fI", "double": "<dQ", "f64": "<dQ", "f32": "<fI"}.get(type_name)
    return "%x" % struct.unpack("<" + form[2], struct.pack(form[:2], value)) if form else ""


class Dice(random.Random):
    def number(self, width):
        if abs(width) == 1:
            return self.randrange(2)
        low, high = (-(1 << (-width - 1)), (1 << (-width - 1)) - 1) if width < 0 else (0, (1 << width) - 1)
        return self.choice([low, high, 0, 1, self.randint(low, high), self.randint(max(low, -1000), min(high, 1000))])


class Parameter:
    """`type` and `name` declare it; values[call] is what the caller writes, says[call] is {what a script reads: text}."""

    def __init__(self, type_name, name):
        self.type, self.name = type_name, name
        self.values, self.says = [], []

    def take(self, value, says=None):
        self.values.append(value)
        self.says.append(says or {})


def c_literal(value, width):
    if width == -64 and value == -(1 << 63):
        return "(-9223372036854775807L - 1)"
    return "%d%s" % (value, "UL" if width == 64 else "L" if width == -64 else "u" if width == 32 else "")


class CWriter:
    """C, or C++ with `cxx`; with `kernel`, C without floating point, and call_all() instead of main()."""

    def __init__(self, dice, cxx=False, kernel=False):
        self.dice, self.cxx, self.kernel = dice, cxx, kernel
        self.types, self.functions, self.calls, self.listed = [], [], [], []
        self.structures = []
        self.objects = 0
        integers = dict(INTEGERS)
        if cxx:
            integers["bool"] = integers.pop("_Bool")
        self.integers = integers

    def structure(self):
        """A random structure: (name, members [(name, type, width or None for floating point)], is it passed by address)."""
        dice = self.dice
        if self.structures and dice.random() < 0.5:
            return dice.choice(self.structures)
        name = "S%d" % len(self.structures)
        members = []
        for i in range(dice.choice([1, 1, 2, 2, 3, 4, 6])):
            kind = dice.random()
            if kind < 0.15 and not self.kernel:
                members.append(("m%d" % i, dice.choice(["float", "double"]), None))
            else:
                type_name = dice.choice(list(self.integers))
                members.append(("m%d" % i, type_name, self.integers[type_name]))
        word = dice.choice(["struct", "struct", "struct", "struct", "union"])
        packed = " __attribute__((packed))" if dice.random() < 0.15 else ""
        copied = self.cxx and word == "struct" and dice.random() < 0.25
        body = " ".join("%s %s;" % (t, m) for m, t, _ in members)
        if copied:
            body += " %s() = default; %s(const %s &o) { __builtin_memcpy((void *)this, &o, sizeof o); keep(this); }" % (name, name, name)
        self.types.append("%s%s %s { %s };" % (word, packed, name, body))
        self.structures.append((word + " " + name, members, word == "union"))
        return self.structures[-1]

    def filled(self, structure):
        """Statements that make an object, its name, and what a script reads of it."""
        type_name, members, union = structure
        name = "o%d" % self.objects
        self.objects += 1
        text, says = "    static %s %s;\n" % (type_name, name), {}
        chosen = [self.dice.choice(members)] if union else members
        for member, member_type, width in chosen:
            if width is None:
                value = self.dice.randrange(1000) + 0.5
                text += "    %s.%s = %s;\n" % (name, member, value)
                says["->" + member] = bits(value, member_type)
            else:
                value = self.dice.number(width)
                text += "    %s.%s = (%s)%s;\n" % (name, member, member_type, c_literal(value, width))
                says["->" + member] = shown(value, width)
        return text, name, says

    def parameter(self, name, before):
        """A parameter; `before` gets statements for each call."""
        dice, kind = self.dice, self.dice.random()
        if kind < 0.5:
            type_name = dice.choice(list(self.integers))
            width = self.integers[type_name]
            made = Parameter(type_name, name)
            for _ in range(CALLS):
                value = dice.number(width)
                made.take("(%s)%s" % (type_name, c_literal(value, width)), {"": shown(value, width)})
        elif kind < 0.58:
            made = Parameter("enum E", name)
            for _ in range(CALLS):
                value = dice.choice([-7, 0, 1, 1000000])
                made.take("(enum E)%d" % value, {"": shown(value, -32)})
        elif kind < 0.68:
            made = Parameter(dice.choice(["int *", "char *", "void *", "struct Unknown *"]), name)
            for _ in range(CALLS):
                value = dice.getrandbits(47)
                made.take("(%s)%dUL" % (made.type, value), {"": "%x" % value})
        elif kind < 0.76 and not self.kernel:
            made = Parameter(dice.choice(["double", "float", "double", "long double", "_Complex double" if not self.cxx else "double"]), name)
            for _ in range(CALLS):
                value = dice.randrange(1000) + 0.25
                made.take("%s" % value, {"": bits(value, made.type)} if bits(value, made.type) else {})
        elif 0.76 <= kind < 0.79:
            made = Parameter("__int128", name)
            for _ in range(CALLS):
                made.take("(__int128)%d" % dice.randrange(1000))
        else:
            structure = self.structure()
            reference = dice.choice(["", "", " &", " *"]) if self.cxx else dice.choice(["", "", "", " *"])
            made = Parameter(structure[0] + reference, name)
            for call in range(CALLS):
                text, variable, says = self.filled(structure)
                before[call] += text
                made.take(("&" if reference == " *" else "") + variable, says)
        return made

    def function(self, number, most):
        dice = self.dice
        before = [""] * CALLS
        parameters = [self.parameter("p%d" % i, before) for i in range(dice.randint(1, most))]
        method = self.cxx and dice.random() < 0.3
        result = dice.choice(["int", "void", "long", "large" if dice.random() < 0.6 else "int"])
        result = "struct Large" if result == "large" else result
        static = "" if method else dice.choice(["static ", "static ", ""])
        name = "f%d" % number
        uses = []
        for parameter in parameters:
            use = dice.random()
            if use < 0.2:
                uses.append("keep(&%s);" % parameter.name)
            elif use < 0.85:
                uses.append("use(%s);" % parameter.name if self.cxx else "USE(%s);" % parameter.name)
        uses.append("again();" if dice.random() < 0.7 else "sink++;")
        dice.shuffle(uses)
        body = " ".join(uses) + {"void": "", "struct Large": " struct Large r = {{1, 2, sink, 4}}; return r;"}.get(result, " return sink;")
        declared = ", ".join("%s %s" % (p.type, p.name) for p in parameters)
        if method:
            self.functions.append("struct K%d { int own; __attribute__((__noinline__)) %s %s(%s) { use(own); %s } };"
                                  % (number, result, name, declared, body))
        else:
            self.functions.append("%s__attribute__((__noinline__)) %s %s(%s) { %s }" % (static, result, name, declared, body))
        for call in range(CALLS):
            text = before[call]
            said = [(p.name + what, value) for p in parameters for what, value in p.says[call].items()]
            if method:
                value = dice.number(-32)
                text += "    static K%d k%d; k%d.own = %s;\n" % (number, call, call, c_literal(value, -32))
                said.append(("this->own", shown(value, -32)))
            arguments = []
            for i, parameter in enumerate(parameters):
                # Some arguments are constants that compilers can see.
                plain = re.match(r"\((.*?)\)(\S+|\(.*\))$", parameter.values[call])
                if plain and dice.random() < 0.7:
                    text += "    static volatile %s v%d = %s;\n" % (parameter.type if "*" not in parameter.type else "unsigned long", i,
                                                                   plain.group(2) if "enum" not in parameter.type else parameter.values[call])
                    arguments.append("(%s)v%d" % (parameter.type, i))
                else:
                    arguments.append(parameter.values[call])
            self.calls.append("{\n%s    %s%s(%s);\n}" % (text, "k%d." % call if method else "", name, ", ".join(arguments)))
            self.listed.append((name, call, dict(said), [p.name for p in parameters]))

    def text(self, count, most):
        for number in range(count):
            self.function(number, most)
        head = ("volatile long sink;\n"
                "enum E { LOW = -7, NONE, ONE, MANY = 1000000 };\n"
                "struct Large { long n[4]; };\n"
                "__attribute__((__noinline__)) void keep(const void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
                "__attribute__((__noinline__)) void again(void) { __asm__ volatile(\"\" : : : \"memory\"); sink++; }\n")
        if self.cxx:
            head += ("template <class T> static inline void use(const T &t) { __asm__ volatile(\"\" : : \"m\"(t)); }\n")
        else:
            head += "#define USE(x) __asm__ volatile(\"\" : : \"m\"(x))\n"
        head += "\n".join(self.types) + "\n" + "\n".join(self.functions)
        if not self.kernel:
            return head + "\nint main(void) {\n" + "\n".join(self.calls) + "\nreturn 0;\n}\n"
        # Each in a function of its own: the kernel's stack is small, and what -O0 keeps of all calls is not.
        callers = ["static __attribute__((__noinline__)) void call%d(void) %s" % (i, call) for i, call in enumerate(self.calls)]
        return (head + "\n" + "\n".join(callers) + "\nvoid call_all(void) {\n" +
                "\n".join("    call%d();" % i for i in range(len(callers))) + "\n}\n")


class RustWriter:
    def __init__(self, dice):
        self.dice = dice
        self.functions, self.calls, self.listed = [], [], []

    def parameter(self, name):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.5:
            type_name = dice.choice(list(RUST_INTEGERS))
            width = RUST_INTEGERS[type_name]
            made = Parameter(type_name, name)
            for _ in range(CALLS):
                value = dice.number(width)
                made.take(("true" if value else "false") if width == 1 else "%d%s" % (value, type_name), {"": shown(value, width)})
        elif kind < 0.6:
            made = Parameter("&str", name)
            for _ in range(CALLS):
                length = dice.randrange(1, 30)
                made.take('"%s"' % ("x" * length), {"->length": "%x" % length})
        elif kind < 0.68:
            made = Parameter("&u32", name)
            for _ in range(CALLS):
                value = dice.number(32)
                made.take("&%du32" % value, {"[0]": shown(value, 32)})
        elif kind < 0.74:
            made = Parameter("f64", name)
            for _ in range(CALLS):
                value = dice.randrange(100) + 0.5
                made.take("%s" % value, {"": bits(value, "f64")})
        elif kind < 0.8:
            made = Parameter("&[u16]", name)
            for _ in range(CALLS):
                length = dice.randrange(1, 9)
                made.take("&[7u16; %d]" % length, {"->length": "%x" % length})
        elif kind < 0.86:
            made = Parameter("(u32, u32)", name)
            for _ in range(CALLS):
                a, b = dice.number(32), dice.number(32)
                made.take("(%d, %d)" % (a, b), {"->__0": shown(a, 32), "->__1": shown(b, 32)})
        elif kind < 0.93:
            made = Parameter("Large", name)
            for _ in range(CALLS):
                a, b = dice.number(64), dice.number(-16)
                made.take("Large { a: %d, b: %d, c: 3, d: 4 }" % (a, b), {"->a": shown(a, 64), "->b": shown(b, -16)})
        elif kind < 0.97:
            made = Parameter("Small", name)
            for _ in range(CALLS):
                a = dice.number(16)
                made.take("Small { a: %d }" % a, {"->a": shown(a, 16)})
        else:
            made = Parameter("Middle", name)
            for _ in range(CALLS):
                a, b = dice.number(64), dice.number(8)
                made.take("Middle { a: %d, b: %d, c: 5 }" % (a, b), {"->a": shown(a, 64), "->b": shown(b, 8)})
        return made

    def function(self, number, most):
        dice = self.dice
        parameters = [self.parameter("p%d" % i) for i in range(dice.randint(1, most))]
        name = "f%d" % number
        result = dice.choice(["u64", "Large", "u32"])
        uses = ["black_box(&%s);" % p.name for p in parameters if dice.random() < 0.8] + ["black_box(&7);"]
        dice.shuffle(uses)
        value = {"u64": "7", "u32": "8", "Large": "Large { a: 1, b: 2, c: 3, d: 4 }"}[result]
        declared = ", ".join("%s: %s" % (p.name, p.type) for p in parameters)
        self.functions.append("#[inline(never)] fn %s(%s) -> %s { %s %s }" % (name, declared, result, " ".join(uses), value))
        for call in range(CALLS):
            said = {p.name + what: value for p in parameters for what, value in p.says[call].items()}
            arguments = ", ".join("black_box(%s)" % p.values[call] for p in parameters)
            self.calls.append("    black_box(%s(%s));" % (name, arguments))
            self.listed.append((name, call, said, [p.name for p in parameters]))

    def text(self, count, most):
        for number in range(count):
            self.function(number, most)
        return ("#![allow(dead_code, unused_variables)]\nuse std::hint::black_box;\n"
                "pub struct Large { a: u64, b: i16, c: u64, d: u64 }\npub struct Small { a: u16 }\n"
                "pub struct Middle { a: u64, b: u8, c: u32 }\n" + "\n".join(self.functions) + "\nfn main() {\n" + "\n".join(self.calls) + "\n}\n")


def programs(only):
    """(name, source's kind, command before "-o PROGRAM SOURCE", is it optimized)."""
    found = []
    for c, cxx in [("gcc", "g++"), ("clang", "clang++")]:
        for options in [["-O0"], ["-O1"], ["-O2"], ["-Og"], ["-O1", "-fno-var-tracking"] if c == "gcc" else ["-O3"]]:
            for compiler, kind in [(c, "c"), (cxx, "cc")]:
                found.append((compiler + "".join(options), kind, [compiler, "-g", "-w", *options], options != ["-O0"]))
    for options in [[], ["-O"]]:
        found.append(("rustc" + "".join(options), "rs", ["rustc", "-g", "-A", "warnings", *options], bool(options)))
    found = [program for program in found if shutil.which(program[2][0])]
    return [program for program in found if not only or any(program[0].startswith(word) for word in only)]


def reads(base, name, key, what, expression):
    """Statements that print what a script reads of a parameter, or why it does not."""
    place = "@@%s %s %s %%d %s" % (base, name, key, what)
    return ('try { if (@defined($%s)) printf("%s %%x\\n", n, %s) else printf("%s absent\\n", n) } '
            'catch (why) { printf("%s %%s\\n", n, strpos(why, "%s") == 0 ? "unknown" : "fault") }'
            % (what, place, expression, place, place, LOST))


def probes(point, base, listed):
    """Probes of functions in `point`, like process("/a/program")."""
    lines, done = [], set()
    for name, _, said, _ in listed:
        if name in done or not said:
            continue
        done.add(name)
        for suffix, read in [("call", "$%s"), ("return", "$%s"), ("return", "@entry($%s)")]:
            key = {"call": "entry", "return": "return"}[suffix] if "@entry" not in read else "saved"
            body = [reads(base, name, key, what, read % what) for what in sorted({w for n, _, s, _ in listed if n == name for w in s})]
            # A return probe that fails does not run, but it has been a call.
            number = 'seen["%s", "%s"]' % (base, name) + ("++" if key == "entry" else " - 1")
            lines.append('probe %s.function("%s").%s ? {\n    n = %s\n    %s\n}' % (point, name, suffix, number, "\n    ".join(body)))
    return lines


def describes(program, function, parameter):
    """Whether debug information has the parameter, by GDB: clang leaves out what a method does not use and is given by an address."""
    command = ["gdb", "-q", "-batch", "-ex", "info functions -n -q \\b%s$" % function, "-ex", "info scope " + function, program]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True, check=False).stdout
    method = re.search(r"(\w+::%s)\(" % function, text)
    if method:
        text = subprocess.run(["gdb", "-q", "-batch", "-ex", "info scope " + method.group(1), program], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, universal_newlines=True, check=False).stdout
    return not re.search(r"^Symbol (?!%s )\w+ is" % parameter, text, re.M) or "Symbol %s is" % parameter in text


def expectations(base, listed, optimized):
    """{where a value is read: (what is passed, is the code optimized)}"""
    return {(base, function, key, call, what): (value, optimized) for function, call, said, _ in listed
            for key in ["entry", "return", "saved"] for what, value in said.items()}


def ask(command, lines, path, program):
    """What a script of these lines prints while the program runs, and the values in that."""
    with open(path, "w") as file:
        file.write("\n".join(["global seen"] + lines) + "\n")
    text = subprocess.run(command + ["-w", "-D", "MAXACTION=100000", "-D", "MAXERRORS=100000", path, "-c", program],
                          stdout=subprocess.PIPE, universal_newlines=True, check=False).stdout
    return text, {(base, function, key, int(call), what): value for base, function, key, call, what, value
                  in re.findall(r"^@@(\S+) (\S+) (\S+) (\d+) (\S+) (\S+)$", text, re.M)}


def compare(expected, answers, described=lambda place: True):
    """Prints the differences. Places that are not `described` may be absent in any code. (values that agree, that differ, places of those that are
    absent, probes that did not fire)"""
    agree = differ = 0
    absent, missing = [], set()
    for place, (value, optimized) in sorted(expected.items()):
        answer = answers.get(place, "no answer")
        if answer == value:
            agree += 1
        elif answer in ("absent", "unknown") and optimized:
            absent.append(place)
        elif answer == "no answer" and optimized:
            missing.add(place[:3])  # inlined or removed, with any message
        elif answer == "absent" and not described(place):
            absent.append(place)
        else:
            differ += 1
            print("%s: stap says %s, the program passes %s" % (" ".join(str(part) for part in place), answer, value))
    return agree, differ, absent, missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", default="")
    parser.add_argument("--functions", type=int, default=12)
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--option", nargs="*", default=[])
    parser.add_argument("--keep")
    options = parser.parse_args()
    stap = os.path.join(os.environ.get("TAPIR_BIN", ROOT + "/build/bin"), "stap")
    temporary = None if options.keep else tempfile.TemporaryDirectory()
    directory = os.path.realpath(options.keep or temporary.name)
    os.makedirs(directory, exist_ok=True)
    print("# seed %d" % options.seed)
    expected, script, made = {}, [], []
    for name, kind, command, optimized in programs(options.only):
        dice = Dice("%d %s" % (options.seed, name))
        writer = RustWriter(dice) if kind == "rs" else CWriter(dice, kind == "cc")
        program = os.path.join(directory, "p_" + re.sub(r"\W", "_", name))
        source = program + "." + kind
        with open(source, "w") as file:
            file.write(writer.text(options.functions, options.most))
        subprocess.check_call(command + ["-o", program, source])
        made.append(program)
        base = os.path.basename(program)
        script += probes('process("%s")' % program, base, writer.listed)
        expected.update(expectations(base, writer.listed, optimized))
    if not made:
        print("there is no compiler")
        return 2
    command = [stap, *options.option] + (["--vm=" + options.release] if options.release else [])
    _, answers = ask(command, script, os.path.join(directory, "ask.stp"), "sh -c '%s'" % "; ".join(made))
    agree, differ, absent, missing = compare(
        expected, answers, lambda place: describes(os.path.join(directory, place[0]), place[1], re.match(r"\w+", place[4]).group()))
    print("# %d values agree, %d differ, %d absent; %d functions not called" % (agree, differ, len(absent), len(missing)))
    return 1 if differ else 0 if agree else 2


if __name__ == "__main__":
    sys.exit(main())
