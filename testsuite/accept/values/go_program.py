# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs in Go, of integers, structures, arrays, slices, strings and pointers to variables of the package."""
import random

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "int"]
MAIN = """//go:noinline
func keep(all ...interface{}) {
    sink += len(all)
}

func entry() uint64 {
    text, _ := os.ReadFile("/proc/self/auxv")
    for i := 0; i+16 <= len(text); i += 16 {
        if binary.LittleEndian.Uint64(text[i:]) == 9 {
            return binary.LittleEndian.Uint64(text[i+8:])
        }
    }
    return 0
}

func main() {
    fmt.Printf("ENTRY %s %x\\n", os.Args[0], entry())
    run_program(int(len(os.Args)))
}
"""


class Program:
    def __init__(self, seed):
        self.dice = random.Random("go %d" % seed)
        self.names = 0
        self.structures, self.globals, self.functions, self.lines = [], [], [], []

    def fresh(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    def make_types(self):
        dice = self.dice
        for _ in range(3):
            name = self.fresh("S")
            members = [(self.fresh("m"), dice.choice(INTEGERS + ["[3]int16", "string", "float64", "bool"])) for _ in range(dice.randint(1, 5))]
            self.lines.append("type %s struct {\n%s\n}" % (name, "\n".join("    %s %s" % pair for pair in members)))
            self.structures.append((name, members))
            variable = self.fresh("G")
            self.lines.append("var %s = %s" % (variable, self.value(name)))
            self.globals.append((variable, name))

    def value(self, spelled):
        dice = self.dice
        if spelled in INTEGERS:
            bits = 64 if spelled == "int" else int(spelled.lstrip("uint"))
            high = (1 << (bits - 1)) - 1
            return "%s(%d)" % (spelled, dice.choice([0, 1, high, dice.randint(0, high)]))
        if spelled.startswith("*"):
            return "&" + dice.choice([variable for variable, kind in self.globals if kind == spelled[1:]])
        for name, members in self.structures:
            if name == spelled:
                return "%s{%s}" % (name, ", ".join("%s: %s" % (member, self.value(kind)) for member, kind in members))
        return {"[3]int16": "[3]int16{1, %d, -3}" % dice.randrange(99), "[]int32": "[]int32{5, %d}" % dice.randrange(99),
                "string": '"%s"' % ("t" * dice.randrange(1, 9)), "float64": "%d.5" % dice.randrange(99), "bool": "true"}[spelled]

    def parameter(self):
        name = self.dice.choice(self.structures)[0]
        return self.dice.choice(INTEGERS + INTEGERS + [name, "*" + name, "*" + name, "string", "[]int32", "float64"])

    def call(self, function):
        name, parameters = function
        return "sink += %s(%s)" % (name, ", ".join(self.value(one) for one in parameters))

    def function(self):
        dice, name = self.dice, self.fresh("fn_")
        parameters = [(self.fresh("p"), self.parameter()) for _ in range(dice.randint(0, 5))]
        readable = ["sink"] + ["int(%s)" % parameter for parameter, kind in parameters if kind in INTEGERS]
        body = []
        for _ in range(dice.randint(2, 6)):
            local = self.fresh("v")
            body += ["    %s := %s*3 + %s" % (local, dice.choice(readable), dice.choice(readable)), "    _ = " + local]
            readable.append(local)
            if dice.random() < 0.4:
                body += ["    for i := 0; i < %d; i++ {" % dice.randint(2, 4), "        sink += i ^ %s" % local, "    }"]
            if self.functions and dice.random() < 0.3:
                body.append("    " + self.call(dice.choice(self.functions)))
        self.lines.append("//go:noinline\nfunc %s(%s) int {\n%s\n    return %s\n}" %
                          (name, ", ".join("%s %s" % pair for pair in parameters), "\n".join(body), readable[-1]))
        self.functions.append((name, [kind for _, kind in parameters]))

    def text(self):
        self.make_types()
        for _ in range(7):
            self.function()
        # The linker drops variables that nothing uses.
        body = ["    keep(%s)" % ", ".join("&" + name for name, _ in self.globals)] + ["    " + self.call(function) for function in self.functions]
        return {"a": 'package main\n\nimport (\n    "encoding/binary"\n    "fmt"\n    "os"\n)\n\nvar sink int\n\n' + "\n".join(self.lines) +
                     "\n\n//go:noinline\nfunc run_program(n int) {\n" + "\n".join(body) + "\n}\n\n" + MAIN}

    def probed(self):
        return [name for name, _ in self.functions] + ["run_program"]

    def outside(self):
        return [("main." + name, '@var("main.%s")' % name) for name, _ in self.globals]
