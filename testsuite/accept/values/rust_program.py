# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs in Rust, run by runtime.c: structures, tuples, arrays, slices, texts, enumerations, generics, references, closures."""
import random

INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "usize"]
HEAD = """#![allow(warnings)]
#![no_main]
use std::hint::black_box;
"""
MAIN = """#[no_mangle] pub extern "C" fn run_program() -> i32 {
    fn_first(black_box(1));
    0
}
"""


class Program:
    def __init__(self, seed):
        self.dice = random.Random("rust %d" % seed)
        self.names = 0
        self.structures = []  # (name, [(member, type)])
        self.enums = []
        self.globals = []
        self.functions = []  # (name, [type of parameter])
        self.lines = []

    def fresh(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    # --- types

    def scalar(self):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.75:
            return dice.choice(INTEGERS)
        return dice.choice(["bool", "f64", "f32", "char"] + self.enums)

    def make_types(self):
        dice = self.dice
        for _ in range(2):
            name = self.fresh("E")
            self.lines.append("#[derive(Clone, Copy, PartialEq)]\npub enum %s { %s }" %
                              (name, ", ".join("V%d = %d" % (i, value) for i, value in enumerate(dice.sample([0, 1, 3, 9, 77], 3)))))
            self.enums.append(name)
        for _ in range(4):
            name = self.fresh("S")
            members = []
            for _ in range(dice.randint(1, 6)):
                kind = dice.random()
                if kind < 0.55:
                    spelled = self.scalar()
                elif kind < 0.7:
                    spelled = "[%s; %d]" % (dice.choice(INTEGERS), dice.randint(1, 5))
                elif kind < 0.85:
                    spelled = "(%s, %s)" % (self.scalar(), self.scalar())
                else:
                    spelled = dice.choice(self.structures)[0] if self.structures else "u32"
                members.append((self.fresh("m"), spelled))
            word = dice.choice(["", "#[repr(C)] ", "#[repr(C)] ", ""])
            self.lines.append("#[derive(Clone, Copy)]\n%spub struct %s { %s }" % (word, name, ", ".join("%s: %s" % pair for pair in members)))
            self.structures.append((name, members))
        self.lines.append("#[derive(Clone, Copy)]\npub struct Pair<T, U> { first: T, second: U }")
        for _ in range(3):
            name, spelled = self.fresh("G"), dice.choice(INTEGERS)
            self.lines.append("#[no_mangle] pub static mut %s: %s = %s;" % (name, spelled, self.value(spelled)))
            self.globals.append(name)

    def value(self, spelled):
        dice = self.dice
        if spelled in INTEGERS:
            signed = spelled[0] == "i"
            bits = 64 if spelled == "usize" else int(spelled[1:])
            low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
            return "(%d%s)" % (dice.choice([low, high, 0, 1, dice.randint(low, high), dice.randint(0, 100)]), spelled)
        if spelled in self.enums:
            return "%s::V%d" % (spelled, dice.randrange(3))
        if spelled.startswith("["):
            element, count = spelled[1:-1].split("; ")
            return "[%s]" % ", ".join(self.value(element) for _ in range(int(count)))
        if spelled.startswith("("):
            return "(%s)" % ", ".join(self.value(one) for one in spelled[1:-1].split(", "))
        for name, members in self.structures:
            if name == spelled:
                return "%s { %s }" % (name, ", ".join("%s: %s" % (member, self.value(kind)) for member, kind in members))
        if spelled.startswith("Pair"):
            first, second = spelled[len("Pair<"):-1].split(", ")
            return "Pair { first: %s, second: %s }" % (self.value(first), self.value(second))
        if spelled.startswith("&[") or spelled.startswith("&S"):
            return "&" + self.value(spelled[1:])
        if spelled.startswith("&"):
            return "&black_box(%s)" % self.value(spelled[1:])
        return {"bool": dice.choice(["true", "false"]), "f64": "%d.5f64" % dice.randrange(99), "f32": "%d.25f32" % dice.randrange(99),
                "char": "'%s'" % dice.choice("axz"), "str": '"%s"' % ("t" * dice.randrange(1, 9))}[spelled]

    def parameter(self):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.5:
            return self.scalar()
        if kind < 0.65:
            return dice.choice(self.structures)[0]
        if kind < 0.78:
            return "&" + dice.choice(self.structures)[0]
        if kind < 0.86:
            return "&" + dice.choice(INTEGERS)
        if kind < 0.92:
            return "Pair<%s, %s>" % (dice.choice(INTEGERS), dice.choice(INTEGERS))
        return dice.choice(["&str", "(u32, i64)", "[u16; 4]"])

    # --- functions

    def number(self, readable):
        dice = self.dice
        if len(readable) < 2:
            return "n"
        a, b = dice.sample(readable, 2)
        return dice.choice(["%s.wrapping_add(%s)", "%s.wrapping_mul(3).wrapping_sub(%s)", "(%s ^ %s)", "(%s & !%s)"]) % (a, b)

    def readable_of(self, name, spelled):
        """Expressions of u64."""
        spelled = spelled.lstrip("&")
        for structure, members in self.structures:
            if structure == spelled:
                return ["(%s.%s as u64)" % (name, member) for member, kind in members if kind in INTEGERS]
        if spelled in INTEGERS:
            return ["(%s as u64)" % name]
        if spelled.startswith("Pair"):
            return ["(%s.first as u64)" % name]
        return []

    def statement(self, readable, indent, depth):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.45 or depth > 2:
            name = self.fresh("v")
            if dice.random() < 0.5:
                line = "let mut %s = %s;" % (name, self.number(readable))
                readable.append(name)
            else:
                spelled = self.parameter()
                line = "let %s: %s = %s;" % (name, spelled, self.value(spelled))
                readable += [("*" + one if spelled in ["&" + i for i in INTEGERS] else one) for one in self.readable_of(
                    "*" + name if spelled[1:] in INTEGERS and spelled[0] == "&" else name, spelled)]
                readable[:] = [one.replace("*(*", "(*") for one in readable]
            return [indent + line] + ([indent + "black_box(&%s);" % name] if dice.random() < 0.6 else [])
        if kind < 0.55:
            return [indent + "unsafe { %s = %s as _; }" % (dice.choice(self.globals), self.number(readable))]
        inner = list(readable)
        if kind < 0.7:
            head = "if %s & 3 > 1 {" % self.number(readable)
        elif kind < 0.85:
            name = self.fresh("i")
            head = "for %s in 0..%du64 {" % (name, dice.randint(2, 5))
            inner.append(name)
        elif kind < 0.93:
            name = self.fresh("closure")
            return [indent + "let %s = |add: u64| -> u64 { let sum = add.wrapping_add(%s); black_box(&sum); sum };" %
                    (name, self.number(readable)), indent + "black_box(%s(4));" % name]
        else:
            head = "{"
        lines = [line for _ in range(2) for line in self.statement(inner, indent + "    ", depth + 1)]
        return [indent + head, *lines, indent + "    black_box(%s);" % self.number(inner), indent + "}"]

    def call(self):
        name, parameters = self.dice.choice(self.functions)
        return "black_box(%s(%s));" % (name, ", ".join(self.value(one) if one in ("&str",) or one.startswith("&") else
                                                       "black_box(%s)" % self.value(one) for one in parameters))

    def function(self):
        dice, name = self.dice, self.fresh("fn_")
        parameters = [(self.fresh("p"), self.parameter()) for _ in range(dice.choice([0, 1, 2, 3, 5, 8]))]
        word = dice.choice(["#[inline(never)] pub ", "#[inline(never)] pub ", "#[inline(always)] "])
        readable = ["n", "7u64"]
        for parameter, spelled in parameters:
            readable += self.readable_of("*" + parameter if spelled[0] == "&" and spelled[1:] in INTEGERS else parameter, spelled)
        body = ["    let n = black_box(%du64);" % dice.randrange(1000)]
        for _ in range(dice.randint(3, 7)):
            body += self.statement(readable, "    ", 0)
        if self.functions and dice.random() < 0.6:
            body.append("    " + self.call())
        body += ["    black_box(&%s);" % parameter for parameter, _ in parameters if dice.random() < 0.6]
        body.append("    %s" % self.number(readable))
        self.lines.append("%sfn %s(%s) -> u64 {\n%s\n}" % (word, name, ", ".join("%s: %s" % pair for pair in parameters), "\n".join(body)))
        self.functions.append((name, [spelled for _, spelled in parameters]))

    def text(self):
        self.make_types()
        for _ in range(8):
            self.function()
        body = ["    unsafe { black_box(%s); }" % name for name in self.globals] + ["    " + self.call() for _ in range(3)]
        for name, parameters in self.functions:
            self.functions, kept = [(name, parameters)], self.functions
            body.append("    " + self.call())
            self.functions = kept
        return {"a": HEAD + "\n".join(self.lines) + "\n#[inline(never)] pub fn fn_first(n: u64) {\n" + "\n".join(body) + "\n}\n" + MAIN}

    def probed(self):
        return [name for name, _ in self.functions] + ["fn_first"]

    def outside(self):
        return [(name, "$" + name) for name in self.globals]
