# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs in C and C++: a header with types, two files with functions. Their results do not depend on addresses, on the
processor or on anything outside."""
import random
import re

from c_types import Filler, Type, Types


class Scope:
    """What statements may name: readable integers, variables that may be assigned, pointers to records, references."""

    def __init__(self, outer=None):
        self.readable = list(outer.readable) if outer else []
        self.assigned = list(outer.assigned) if outer else []  # (expression, name of an integer type)
        self.records = list(outer.records) if outer else []  # (expression of an object, Type)
        self.locals = list(outer.locals) if outer else []  # names of integers that a block may shadow

    def add_record(self, dice, place, record):
        self.records.append((place, record))
        for path, kind, bits in dice.sample(record.all_members(), min(3, len(record.all_members()))):
            if kind.kind in ("integer", "bool", "enum"):
                self.readable.append("(long)%s.%s" % (place, path))
                if kind.kind == "integer":
                    self.assigned.append(("%s.%s" % (place, path), kind.name))
            elif kind.kind == "array" and kind.element.kind == "integer":
                self.readable.append("%s.%s[%d]" % (place, path, dice.randrange(kind.count)))


class Function:
    def __init__(self, name, result, parameters, recursive=False, inline=False):
        self.name, self.result, self.parameters = name, result, parameters
        self.recursive, self.inline = recursive, inline

    def head(self, unit_local):
        declared = ", ".join(kind.declare(("&" if how == "&" else "") + name) for name, kind, how in self.parameters)
        word = "static inline " if self.inline else "static __attribute__((noinline)) " if unit_local else "__attribute__((noinline)) "
        return "%s%s %s(%s)" % (word, self.result, self.name, declared or "void")


class Program:
    def __init__(self, seed, cxx):
        self.dice = random.Random("program %d" % seed)
        self.cxx = cxx
        self.types = Types(self.dice, cxx)
        self.types.make()
        self.functions = []  # in order of definition; each may call those before it
        self.globals = []  # (declaration, name)
        self.names = 0
        self.statics = []  # of the units: (name, unit)
        self.owners = {"run_program": (0, 0), "at": (0, 0)}  # {function: numbers of its variables}
        self.targets = {}
        self.filler = Filler(self.dice, self.targets)

    def fresh(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    # --- variables outside functions

    def make_globals(self):
        for name in ["int", "short", "unsigned char", "long"]:
            variable = self.fresh("g")
            self.globals.append(("%s %s[4]" % (name, variable), variable))
            self.targets[name] = ["&%s[%d]" % (variable, i) for i in range(4)]
        for record in self.types.records:
            variable = self.fresh("g")
            self.globals.append((record.declare(variable), variable))
            self.targets.setdefault(record.name, []).append("&" + variable)
        for _ in range(3):
            variable, kind = self.fresh("g"), self.types.scalar()
            word = "__thread " if self.dice.random() < 0.4 else ""
            self.globals.append((word + kind.declare(variable), variable))

    # --- expressions and statements

    def integer(self, scope, depth=0):
        dice = self.dice
        if depth > 2 or dice.random() < 0.35 or not scope.readable:
            return dice.choice(scope.readable) if scope.readable and dice.random() < 0.8 else str(dice.randrange(1, 90))
        a, b = self.integer(scope, depth + 1), self.integer(scope, depth + 1)
        return dice.choice(["(%s + %s)", "(%s - %s)", "(%s * 3 + %s)", "(%s ^ %s)", "(%s & ~%s)", "(%s > %s)", "(%s >> (%s & 7))",
                            "(%s / ((%s & 15) + 1))", "(%s == 3 ? 5 : %s)"]) % (a, b)

    def argument(self, scope, kind, how):
        if how == "&" or kind.kind in ("record", "union"):
            fitting = [place for place, record in scope.records if record.name == kind.name]
            return self.dice.choice(fitting or ["*" + target for target in self.targets[kind.name]])
        if kind.kind == "pointer":
            fitting = ["&" + place for place, record in scope.records if record.name == kind.element.spelled() and "->" not in place]
            return self.dice.choice(fitting) if fitting and self.dice.random() < 0.5 else self.filler.address(kind.element)
        if kind.kind == "integer":
            return "(%s)(%s)" % (kind.name, self.integer(scope))
        if kind.kind == "float":
            return "(%s)(%s) / 4" % (kind.name, self.integer(scope))
        if kind.kind == "bool":
            return "(%s) & 1" % self.integer(scope)
        return self.filler.value(kind).replace("salt", "3")

    def call(self, scope, function, first=None):
        arguments = [self.argument(scope, kind, how) for _, kind, how in function.parameters]
        if function.recursive:
            arguments[0] = first or str(self.dice.randint(1, 3))
        return "%s(%s)" % (function.name, ", ".join(arguments))

    def declare(self, scope, indent):
        """A local variable with a value."""
        dice, kind, name = self.dice, self.dice.random(), self.fresh("v")
        if kind < 0.4:
            integer = self.types.integer()
            word = dice.choice(["", "", "", "const ", "volatile ", "static "])
            lines = ["%s%s %s = %s;" % (word, integer.name, name, "7" if word == "static " else "(%s)%s" % (integer.name, self.integer(scope)))]
            scope.readable.append(name)
            scope.locals.append(name)
            if word != "const ":
                scope.assigned.append((name, integer.name))
        elif kind < 0.65:
            record = dice.choice(self.types.records)
            lines = [record.declare(name) + (" = {0};" if record.plain and not self.cxx else " = {};" if record.plain else ";")]
            if not record.plain or dice.random() < 0.7:
                lines += self.filler.lines(name, record)
            scope.add_record(dice, name, record)
        elif kind < 0.78:
            element = Type("integer", dice.choice(["int", "short", "unsigned char", "long"]))
            count = dice.randint(2, 5)
            if not self.cxx and dice.random() < 0.3:
                lines = ["int %s_n = (int)(%s & 3) + 1;" % (name, self.integer(scope)), "%s %s[%s_n];" % (element.name, name, name),
                         "for (int i = 0; i < %s_n; i++)" % name, "    %s[i] = (%s)(i + salt);" % (name, element.name)]
                scope.readable.append(name + "[0]")
            else:
                lines = ["%s %s[%d] = { %s };" % (element.name, name, count, ", ".join(str(dice.randrange(100)) for _ in range(count)))]
                scope.readable.append("%s[%s & 1]" % (name, dice.choice(scope.readable or ["1"])))
                scope.assigned.append(("%s[%d]" % (name, dice.randrange(count)), element.name))
            lines.append("KEEP(%s);" % name)
        elif kind < 0.9 or not self.cxx:
            record = dice.choice(self.types.records)
            fitting = ["&" + place for place, known in scope.records if known is record]
            target = dice.choice(fitting + self.targets[record.name])
            lines = ["%s = %s;" % (Type("pointer", "", element=record).declare(name), target)]
            scope.add_record(dice, "(*%s)" % name, record)
        else:
            fitting = [pair for pair in scope.assigned if pair[0] in scope.locals]
            if fitting and dice.random() < 0.6:
                place, spelled = dice.choice(fitting)
                lines = ["%s &%s = const_cast<%s &>(%s);" % (spelled, name, spelled, place)]
                scope.readable.append(name)
            else:
                record = dice.choice(self.types.records)
                lines = ["%s &%s = *%s;" % (record.name, name, dice.choice(self.targets[record.name]))]
                scope.add_record(dice, name, record)
        return [indent + line for line in lines]

    def assign(self, scope):
        if not scope.assigned:
            return "sink = %s;" % self.integer(scope)
        place, spelled = self.dice.choice(scope.assigned)
        return self.dice.choice(["%s = (%s)(%s);", "%s ^= (%s)(%s);", "%s += (%s)(%s);"]) % (place, spelled, self.integer(scope))

    def block(self, scope, indent, depth, count):
        inner = Scope(scope)
        lines = []
        if inner.locals and self.dice.random() < 0.35:
            name = self.dice.choice(inner.locals)  # shadows
            lines.append("%slong %s = %d;" % (indent, name, self.dice.randrange(1000)))
            lines.append("%sUSE(%s);" % (indent, name))
            inner.readable = [text for text in inner.readable if not re.search(r"\b%s\b" % name, text)] + [name]
            inner.assigned = [pair for pair in inner.assigned if not re.search(r"\b%s\b" % name, pair[0])] + [(name, "long")]
        for _ in range(count):
            lines += self.statement(inner, indent, depth)
        return lines

    def statement(self, scope, indent, depth):
        dice, kind = self.dice, self.dice.random()
        if depth > 2:
            kind *= 0.5
        if kind < 0.2:
            return [indent + self.assign(scope)]
        if kind < 0.35:
            return self.declare(scope, indent)
        if kind < 0.42:
            return [indent + "%s(%s);" % (dice.choice(["KEEP", "USE"]), dice.choice(scope.locals)) if scope.locals else indent + "again();"]
        if kind < 0.5:
            return [indent + "sink += %s;" % self.integer(scope)]
        if kind < 0.62:
            lines = ["%sif (%s & %d) {" % (indent, self.integer(scope), dice.choice([1, 2, 3, 7])), *self.block(scope, indent + "    ", depth + 1, 2)]
            if dice.random() < 0.5:
                lines += [indent + "} else {", *self.block(scope, indent + "    ", depth + 1, 1)]
            return lines + [indent + "}"]
        if kind < 0.74:
            name = self.fresh("i")
            inner = Scope(scope)
            inner.readable.append(name)
            return ["%sfor (%s %s = 0; %s < %d; %s++) {" % (indent, dice.choice(["int", "unsigned", "short"]), name, name, dice.randint(2, 5), name),
                    *self.block(inner, indent + "    ", depth + 1, 2), indent + "}"]
        if kind < 0.8:
            return ["%sswitch (%s & 3) {" % (indent, self.integer(scope)), indent + "case 0:", indent + "    " + self.assign(scope),
                    indent + "    break;", indent + "case 2:", indent + "    " + self.assign(scope), indent + "default:",
                    indent + "    " + self.assign(scope), indent + "}"]
        if kind < 0.86:
            return [indent + "{", *self.block(scope, indent + "    ", depth + 1, 2), indent + "}"]
        if kind < 0.9 and self.cxx and scope.readable:
            name = self.fresh("lambda")
            return ["%sauto %s = [&](int add) {" % (indent, name), "%s    long sum = %s + add;" % (indent, self.integer(scope)),
                    indent + "    USE(sum);", indent + "    return sum;", indent + "};", "%ssink += %s(3);" % (indent, name)]
        if self.cxx and kind < 0.93:
            fitting = [(place, method) for place, record in scope.records for owner, method, _ in self.types.methods if owner is record]
            if fitting:
                return [indent + "sink += %s.%s((int)(%s));" % (*dice.choice(fitting), self.integer(scope))]
        called = [function for function in self.functions if not self.in_loop or function.inline]
        if not called:
            return [indent + "again();"]
        return [indent + "sink += %s;" % self.call(scope, dice.choice(called))]

    # --- functions

    def parameter(self):
        dice, kind, name = self.dice, self.dice.random(), self.fresh("p")
        if kind < 0.42:
            return name, self.types.integer(), ""
        if kind < 0.52:
            return name, self.types.scalar(), ""
        if kind < 0.68:
            return name, Type("pointer", "", element=dice.choice(self.types.records)), ""
        if self.cxx and kind < 0.82:
            return name, dice.choice(self.types.records), "&"
        return name, dice.choice(self.types.records), ""

    def enter(self, function, scope):
        """Parameters become readable."""
        lines = []
        for name, kind, _ in function.parameters:
            if kind.kind == "integer":
                scope.readable.append(name)
                if name != "depth":
                    scope.locals.append(name)
                    scope.assigned.append((name, kind.name))
            elif kind.kind in ("enum", "bool"):
                scope.readable.append("(long)" + name)
            elif kind.kind == "float":
                lines.append("    USEF(%s);" % name)
            elif kind.kind in ("record", "union"):
                scope.add_record(self.dice, name, kind)
            elif kind.kind == "pointer" and kind.element.kind in ("record", "union"):
                lines.append("    if (%s)" % name)
                path = [path for path, member, _ in kind.element.all_members() if member.kind in ("integer", "bool")]
                lines.append("        sink += %s->%s;" % (name, path[0]) if path else "        again();")
        return lines

    def function(self, inline=False):
        dice = self.dice
        recursive = not inline and dice.random() < 0.25
        first = self.names + 1
        parameters = [self.parameter() for _ in range(dice.choice([1, 2, 3]) if inline else dice.choice([0, 1, 2, 3, 4, 6, 9]))]
        if recursive:
            parameters.insert(0, ("depth", Type("integer", "int"), ""))
        made = Function(self.fresh("inlined" if inline else "fn"), dice.choice(["long", "int", "unsigned char"]), parameters, recursive, inline)
        scope = Scope()
        body = self.enter(made, scope)
        self.in_loop = inline
        for _ in range(1 if inline else dice.randint(1, 4)):
            body += self.declare(scope, "    ")
        for _ in range(dice.randint(1, 2) if inline else dice.randint(3, 8)):
            body += self.statement(scope, "    ", 1)
        if recursive:
            body.append("    if (depth > 0)")
            body.append("        sink += %s;" % self.call(scope, made, "depth - 1"))
        if dice.random() < 0.5:
            body.append("    again();")
        body.append("    return (%s)(%s);" % (made.result, self.integer(scope)))
        unit_local = dice.random() < 0.4
        self.functions.append(made)
        self.owners[made.name] = (first, self.names)
        return made, unit_local, body

    def methods(self):
        lines = []
        for owner, method, static in self.types.methods:
            scope = Scope()
            scope.readable.append("by")
            scope.assigned += [(path, kind.name) for path, kind, _ in owner.all_members() if kind.kind == "integer"][:3]
            scope.readable += [path for path, _ in scope.assigned]
            self.in_loop = True
            first = self.names + 1
            body = self.declare(scope, "    ") + self.statement(scope, "    ", 2) + self.statement(scope, "    ", 1)
            self.owners[method] = (first, self.names)
            name = owner.name.split()[-1]
            lines += ["int %s::%s = 11;" % (name, static), "long %s::%s(int by) {" % (name, method), *body,
                      "    %s += by;" % static, "    return %s;" % self.integer(scope), "}"]
        return lines

    def text(self):
        """{file's ending: text}; "h" is the header."""
        self.make_globals()
        head = ["#pragma once", 'extern "C" int again(void);' if self.cxx else "int again(void);",
                ('extern "C" ' if self.cxx else "extern ") + "volatile long sink;",
                '#define KEEP(x) __asm__ volatile("" : : "r"(&(x)) : "memory")', '#define USE(x) __asm__ volatile("" : : "r"(x))',
                '#define USEF(x) __asm__ volatile("" : : "x"(x))', "enum { salt = 1 };"]
        declared = ["extern %s;" % declaration for declaration, _ in self.globals]
        units = {"a": self.methods(), "b": []}
        for unit in "ab":
            for _ in range(2):
                static, kind = self.fresh("s"), self.types.scalar()
                self.statics.append((static, unit))
                units[unit].append("static %s;" % kind.declare(static))
                units[unit].append('__attribute__((noinline)) void touch_%s(void) { KEEP(%s); }' % (static, static))
        for number in range(9):
            made, unit_local, body = self.function(number in (0, 3))
            where = "a" if number < 5 else "b"
            if made.inline:
                declared += [made.head(False) + " {", *body, "}"]
                continue
            if not unit_local or where == "a":
                declared.append(made.head(False) + ";")
            units[where] += [made.head(unit_local and where == "b") + " {", *body, "}"]
        self.in_loop = False
        main = ['extern "C" int run_program(void) {' if self.cxx else "int run_program(void) {"]
        for _, variable in self.globals:
            record = [r for r in self.types.records if "&" + variable in self.targets.get(r.name, [])]
            main += ["    " + line for line in (self.filler.lines(variable, record[0]) if record else [])]
        scope = Scope()
        for function in self.functions:
            main.append("    sink += %s;" % self.call(scope, function))
            if self.dice.random() < 0.4:
                main.append("    sink += %s;" % self.call(scope, function))
        units["b"] += main + ["    return 0;", "}"]
        units["a"] += ["%s;" % declaration for declaration, _ in self.globals]
        head += self.types.text + declared
        return {"h": "\n".join(head) + "\n", **{unit: "\n".join(lines) + "\n" for unit, lines in units.items()}}

    def probed(self):
        """Names of its functions, without scopes."""
        return [function.name for function in self.functions] + [method for _, method, _ in self.types.methods] + ["run_program", "at"]

    def outside(self):
        """[(expression for GDB, expression for a script)] of variables outside functions."""
        files = {unit: unit + (".cc" if self.cxx else ".c") for unit in "ab"}
        return [(name, "$" + name) for _, name in self.globals] + [(name, '@var("%s")' % name) for name in self.types.statics] + \
            [("'%s'::%s" % (files[unit], name), '@var("%s@%s")' % (name, files[unit])) for name, unit in self.statics]
