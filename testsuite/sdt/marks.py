#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs with marks that dtrace and sdt/include/sys/sdt.h made, as GDB and stap read them.

Each program says on its output what it passes to a mark. GDB stops at each mark and prints its arguments, which have to be the same.
GDB raises the semaphore of a mark that it stops at, and the program says whether it sees that. `stap -L` has to list the same marks.

marks.py DIRECTORY_OF_PROGRAMS HEADER_DIRECTORY"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

PROVIDERS = """
#include "types.d"
#define TEXT char *
typedef unsigned int number_t;   /* known here alone */
provider shop {
    probe order__placed(number_t number, TEXT name, long price);   // with names
    probe closed();
    probe weighed(float kilograms, double, unsigned char);
};
provider depot { probe moved(struct place *from, int (*how)(int)); };
#pragma D attributes Evolving/Evolving/Common provider shop provider
"""

# `say` writes a line that GDB's values are compared with.
PROGRAM = """
#include <stdio.h>
#include "shop.h"
struct place { int x; };
static int twice(int i) { return 2 * i; }
static void __attribute__((noinline)) place(unsigned number, char *name, long price) {
    printf("expect order__placed %u %lu %ld\\n", number, (unsigned long)name, price);
    if (SHOP_ORDER_PLACED_ENABLED()) printf("seen order__placed\\n");
    SHOP_ORDER_PLACED(number, name, price);
}
int main(int argc, char **argv) {
    struct place from = {argc};
    char name[] = "book";
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 0; i < 3; i++)
        place(i + 4000000000u, argv[0], -5L * i);
    place(7, name, 1L << 40);
    printf("expect moved %lu %lu\\n", (unsigned long)&from, (unsigned long)twice);
    if (DEPOT_MOVED_ENABLED()) printf("seen moved\\n");
    DEPOT_MOVED(&from, twice);
    if (SHOP_WEIGHED_ENABLED()) printf("seen weighed\\n");
    SHOP_WEIGHED(from.x * 1.5f, from.x * 2.5, (unsigned char)(from.x + 199));
    printf("expect closed\\n");
    if (SHOP_CLOSED_ENABLED()) printf("seen closed\\n");
    SHOP_CLOSED();
    return 0;
}
"""

MARKS = {"shop.order__placed": 3, "shop.closed": 0, "shop.weighed": 3, "depot.moved": 2}


class Failed(Exception):
    pass


def run(*command, directory=None, environment=None, status=0):
    done = subprocess.run(command, cwd=directory, env={**os.environ, **(environment or {})}, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != status:
        raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Programs:
    def __init__(self, programs, headers, top):
        self.dtrace = os.path.join(programs, "dtrace")
        self.stap = os.path.join(programs, "stap")
        self.headers = headers
        self.top = top

    def write(self, name, text):
        with open(os.path.join(self.top, name), "w", encoding="utf-8") as file:
            file.write(text)

    def build(self, name, compiler, suffix, flags):
        self.write("types.d", "struct place;\n")
        self.write("shop.d", PROVIDERS)
        self.write(name + suffix, PROGRAM)
        environment = {"CC": "gcc", "CFLAGS": " ".join(flags)}
        run(self.dtrace, "-C", "-I.", "-h", "-s", "shop.d", directory=self.top, environment=environment)
        run(self.dtrace, "-C", "-I.", "-G", "-s", "shop.d", "-o", name + "-marks.o", directory=self.top, environment=environment)
        run(compiler, *flags, "-w", "-isystem", self.headers, name + suffix, name + "-marks.o", "-o", name, directory=self.top)
        return os.path.join(self.top, name)

    def compare(self, title, program):
        self.compare_lists(program)
        self.compare_values(program)
        print(f"ok {title}")

    def compare_lists(self, program):
        table = run("gdb", "-nx", "-batch", "-ex", "info probes stap", program).stdout
        found = {f"{m[0]}.{m[1]}": m[2] for m in re.findall(r"^stap +(\w+) +(\w+) +0x\w+ +(0x\w+)? ", table, re.M)}
        if sorted(found) != sorted(MARKS) or not all(found.values()):
            raise Failed(f"GDB lists {found}")
        if not os.path.exists(self.stap):
            return
        listed = run(self.stap, "-L", f'process("{program}").mark("*")').stdout
        names = {line.split('mark("')[1].split('"')[0]: len(re.findall(r"\$arg\d+", line)) for line in listed.splitlines()}
        if names != {mark.split(".")[1]: count for mark, count in MARKS.items()}:
            raise Failed(f"stap lists {names}:\n{listed}")

    def compare_values(self, program):
        commands = ["set disable-randomization on", "set breakpoint pending off", "set pagination off"]
        for mark, count in MARKS.items():
            name = mark.split(".")[1]
            # GDB 13 does not know places of floating-point numbers.
            values = [] if name == "weighed" else ["$_probe_argc"] + [f"$_probe_arg{n}" for n in range(count)]
            wanted = " ".join(["%lu" if name == "moved" else "%ld"] * len(values))
            commands += [f"break -probe-stap {mark.replace('.', ':')}", "commands", "silent",
                         f'printf "got {name} {wanted}\\n"' + "".join(", " + value for value in values), "continue", "end"]
        self.write("commands", "\n".join(commands + ["run", ""]))
        text = run("gdb", "-nx", "-batch", "-x", os.path.join(self.top, "commands"), program).stdout
        expected = re.findall(r"^expect (\w+) ?(.*)$", text, re.M)
        got = {}
        for name, values in re.findall(r"^got (\w+) ?(.*)$", text, re.M):
            count, *values = values.split() or [str(MARKS["shop." + name])]
            got.setdefault(name, []).append(values)
            if int(count) not in [c for m, c in MARKS.items() if m.split(".")[1] == name]:
                raise Failed(f"GDB finds {count} arguments of {name}")
        for name, values in expected:
            found = got.get(name, []).pop(0) if got.get(name) else None
            if name == "order__placed" and found:
                # A number of 32 bits without a sign.
                found[0] = str(int(found[0]) & 0xffffffff)
            if found != values.split():
                raise Failed(f"{name}: the program passes {values}, GDB reads {found}\n{text}")
        if len(expected) != 6 or len(got.get("weighed", [])) != 1:
            raise Failed(f"marks were not hit\n{text}")
        if sorted(set(re.findall(r"^seen (\w+)$", text, re.M))) != sorted(m.split(".")[1] for m in MARKS):
            raise Failed(f"semaphores are not raised while GDB stops at the marks\n{text}")
        if "seen" in run(program).stdout:
            raise Failed("semaphores are not 0 without GDB")


def check_command(programs):
    """What the command line does."""
    directory, dtrace = programs.top, programs.dtrace
    text = run(dtrace, "--help").stdout
    if "-G" not in text or "--types" not in text or not run(dtrace, "--version").stdout.startswith("dtrace of Tapir"):
        raise Failed(text)
    for words, complaint in ((["-s", "shop.d"], "neither -h nor -G"), (["-h"], "-s has to name"), (["-h", "-G", "-s", "x.d"], "together"),
                             (["-h", "--nonsense", "-s", "x.d"], "no option '--nonsense'"), (["-Q"], "no option '-Q'")):
        if complaint not in run(dtrace, *words, directory=directory, status=2).stderr:
            raise Failed(f"{words}: no complaint '{complaint}'")
    programs.write("wrong.d", "provider p {\n    probe x(int\n};\n")
    if "wrong.d:2:12: error: this '(' is not closed\n    probe x(int\n           ^\n" != run(dtrace, "-h", "-s", "wrong.d", directory=directory,
                                                                                         status=1).stderr:
        raise Failed("no message with a caret")
    if os.path.exists(os.path.join(directory, "wrong.h")):
        raise Failed("a header was written despite an error")
    programs.write("plain.d", "provider p { probe x(unsigned char c, long n[4]); };\n")
    run(dtrace, "-k", "--types", "-C", "-xnolibs", "-64", "-h", "-s", "plain.d", "-o", "kept.h", "more.o", directory=directory)
    run(dtrace, "-k", "-x", "nolibs", "-32", "-DX=1", "-G", "-s", "plain.d", "-o", "kept.o", directory=directory)
    for name, words in (("kept.h.i", "probe x"), ("kept.h", "typedef long p_x_arg2[4];"), ("kept.o.c", "p_x_semaphore")):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            if words not in file.read():
                raise Failed(f"{name} lacks {words}")
    if "ELF32" not in run("readelf", "-h", "kept.o", directory=directory).stdout:
        raise Failed("-32 makes no object for 32 bits")
    run(dtrace, "-G", "-s", "plain.d", directory=directory, environment={"CC": "gcc", "CFLAGS": "-O2 -g '-DTEXT=\"a b\"'"})
    run(dtrace, "-h", "-s", "plain.d", directory=directory)
    if run(dtrace, "-G", "-s", "plain.d", directory=directory, environment={"CC": "no-such-compiler"}, status=1).stdout:
        raise Failed("output without a compiler")
    print("ok the command")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if not shutil.which("gdb"):
        print("ok marks # SKIP there is no gdb")
        sys.exit(77)
    failed = 0
    with tempfile.TemporaryDirectory() as top:
        programs = Programs(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), top)
        ways = [("gcc", ".c", ["-O0"]), ("gcc", ".c", ["-O2", "-g"]), ("g++", ".cc", ["-O2", "-fPIE", "-pie"]), ("gcc", ".c", ["-O2", "-flto"])]
        if shutil.which("clang"):
            ways += [("clang", ".c", ["-O2"]), ("clang++", ".cc", ["-O0"])]
        for number, (compiler, suffix, flags) in enumerate(ways):
            title = f"{compiler} {' '.join(flags)}"
            try:
                programs.compare(title, programs.build(f"program{number}", compiler, suffix, flags))
            except Failed as failure:
                failed += 1
                print(f"not ok {title}\n# " + str(failure).replace("\n", "\n# "))
        try:
            check_command(programs)
        except Failed as failure:
            failed += 1
            print("not ok the command\n# " + str(failure).replace("\n", "\n# "))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
