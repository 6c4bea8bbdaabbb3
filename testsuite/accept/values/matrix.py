# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs are compiled with: compilers, levels, versions of DWARF, and forms of the debug information; and how they are built."""
import itertools
import os
import random
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = {"gcc": "c", "clang": "c", "g++": "cc", "clang++": "cc", "rustc": "rs", "go": "go"}
AXES = [("compiler", list(COMPILERS)), ("level", ["O0", "Og", "O1", "O2", "O3", "Os"]), ("dwarf", ["2", "3", "4", "5"]),
        ("form", ["plain", "dwz", "dwzm", "gz", "zstd", "split", "dwp", "types", "lto", "static", "staticpie", "stripped"])]
# Programs that forms need.
NEEDS = {"dwz": "dwz", "dwzm": "dwz", "dwp": "llvm-dwp"}


class CannotBuild(Exception):
    pass


class Variant:
    def __init__(self, compiler, level, dwarf, form):
        self.compiler, self.level, self.dwarf, self.form = compiler, level, dwarf, form

    def __str__(self):
        return "-".join((self.compiler, self.level, "dwarf" + self.dwarf, self.form))

    @staticmethod
    def named(text):
        compiler, level, dwarf, form = text.split("-")
        return Variant(compiler, level, dwarf.replace("dwarf", ""), form)

    def is_possible(self):
        if self.compiler == "go":
            return self.level in ("O0", "O2") and self.dwarf in ("4", "5") and self.form in ("plain", "dwz", "gz", "stripped")
        if self.compiler == "rustc" and (self.level == "Og" or self.form in ("types", "dwzm", "staticpie")):
            return False
        if self.form in ("dwz", "dwzm") and self.dwarf == "5" and self.compiler.startswith(("clang", "rustc")):
            return False  # dwz knows no .debug_addr
        if self.form in ("split", "dwp", "types") and int(self.dwarf) < 4:
            return False
        if self.form == "lto" and self.compiler.startswith("clang") and not shutil.which("ld.lld"):
            return False
        return self.form not in NEEDS or bool(shutil.which(NEEDS[self.form]))


def installed():
    return [compiler for compiler in COMPILERS if shutil.which(compiler)]


def missing():
    """What is left out, in words."""
    return ["%s is not installed: its programs are left out" % compiler for compiler in COMPILERS if not shutil.which(compiler)] + \
        ["%s is not installed: nothing is compiled as %s" % (program, form) for form, program in NEEDS.items() if not shutil.which(program)]


def variant_of(seed, compilers):
    """Each axis is a pack of cards, dealt to the end and then shuffled anew: consecutive seeds cover each evenly. In an impossible
    combination the form changes first, the level last. Twice the size of a pack has every card of it."""
    def card(axis, number):
        pack = [one for one in dict(AXES)[axis] if axis != "compiler" or one in compilers]
        random.Random("%s %d" % (axis, number // len(pack))).shuffle(pack)
        return pack[number % len(pack)]

    for shifts in itertools.product(range(12), range(8), range(24)):
        level, dwarf, form = (card(axis, seed + shift) for axis, shift in zip(("level", "dwarf", "form"), shifts))
        variant = Variant(card("compiler", seed), level, dwarf, form)
        if variant.is_possible():
            return variant
    raise CannotBuild("nothing can be built with " + ", ".join(compilers))


def output(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False, **options)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if "error" in line] or done.stdout.splitlines() or ["no message"]
        raise CannotBuild("%s: %s" % (command[0], lines[0]))
    return done.stdout


class Built:
    """A program on disk. `path` is what stap probes, `plain` what GDB runs: the same code, with debug information as the compiler
    wrote it."""

    def __init__(self, directory, variant, dice):
        self.directory, self.variant = directory, variant
        self.strict = dice.random() < 0.5
        self.path = self.plain = os.path.join(directory, "program")

    def run(self, *command):
        return output(list(command), cwd=self.directory)

    def compile_c(self, form):
        variant, ending = self.variant, COMPILERS[self.variant.compiler]
        flags = ["-" + variant.level, "-g", "-gdwarf-" + variant.dwarf, "-w", "-fwrapv", "-fno-stack-protector"]
        if variant.compiler in ("gcc", "g++") and self.strict:
            flags.append("-gstrict-dwarf")
        flags += {"split": ["-gsplit-dwarf"], "dwp": ["-gsplit-dwarf"], "types": ["-fdebug-types-section"], "lto": ["-flto"],
                  "staticpie": ["-fPIE"]}.get(form, [])
        links = {"lto": ["-flto"], "static": ["-static", "-no-pie"], "staticpie": ["-static-pie"]}.get(form, [])
        if form == "lto" and variant.compiler.startswith("clang"):
            links.append("-fuse-ld=lld")
        for unit in "ab":
            self.run(variant.compiler, *flags, "-c", "%s.%s" % (unit, ending), "-o", unit + ".o")
        self.run(variant.compiler, *flags, *links, "-o", "program", "a.o", "b.o", "runtime.o")

    def compile_rust(self, form):
        variant = self.variant
        flags = ["-g", "-A", "warnings", "-C", "opt-level=" + variant.level[1:].lower(), "-C", "dwarf-version=" + variant.dwarf,
                 "-C", "codegen-units=1", "-C", "link-arg=runtime.o"]
        flags += {"split": ["-C", "split-debuginfo=unpacked"], "dwp": ["-C", "split-debuginfo=packed"], "lto": ["-C", "lto=fat"],
                  "static": ["-C", "target-feature=+crt-static", "-C", "link-arg=-Wl,--allow-multiple-definition"]}.get(form, [])
        self.run("rustc", *flags, "-o", "program", "a.rs")

    def compile_go(self, form):
        flags = ["-gcflags=all=-N -l"] if self.variant.level == "O0" else []
        if form != "plain":
            flags.append("-ldflags=-compressdwarf=false")  # tools compress it, or cannot read what is compressed
        self.run("go", "build", *flags, "-o", "program", "a.go")

    def keep_plain(self):
        self.plain = self.path + ".plain"
        shutil.copy(self.path, self.plain)

    def code(self, path):
        self.run("objcopy", "-O", "binary", "--only-section=.text", path, "text")
        with open(os.path.join(self.directory, "text"), "rb") as file:
            return file.read()

    def build(self):
        ending, form = COMPILERS[self.variant.compiler], self.variant.form
        self.run("gcc", "-O1", "-fno-builtin", "-fPIE", "-c", HERE + "/runtime.c", "-o", "runtime.o")
        build = {"rs": self.compile_rust, "go": self.compile_go}.get(ending, self.compile_c)
        if form in ("split", "dwp"):
            # GDB 13 reads lists of places in .dwo files wrongly, and breaks down on some packages.
            build("plain")
            self.keep_plain()
        build(form)
        if form in ("dwz", "dwzm", "gz", "zstd", "stripped"):
            self.keep_plain()
        if form == "dwz":
            self.run("dwz", "program")
        elif form == "dwzm":
            shutil.copy(self.path, self.path + ".other")
            self.run("dwz", "-m", self.path + ".dwz", "program", "program.other")
        elif form in ("gz", "zstd"):
            self.run("objcopy", "--compress-debug-sections=" + {"gz": "zlib", "zstd": "zstd"}[form], "program")
        elif form == "stripped":
            self.run("objcopy", "--only-keep-debug", "program", "program.debug")
            self.run("objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program")
        elif form == "dwp" and ending != "rs":
            self.run("llvm-dwp", "-e", "program", "-o", "program.dwp")
            for unit in "ab":
                os.unlink(os.path.join(self.directory, unit + ".dwo"))
        if self.plain != self.path and self.code(self.plain) != self.code(self.path):
            raise CannotBuild(form + ": the code is not that of the program without it")

    def image(self):
        """(entry, lowest address, address behind the highest) as linked."""
        text = self.run("readelf", "-hlW", self.plain)
        entry = int(re.search(r"Entry point address:\s+(0x[0-9a-f]+)", text).group(1), 16)
        parts = [(int(start, 16), int(size, 16)) for start, size in
                 re.findall(r"^\s+LOAD\s+0x[0-9a-f]+ (0x[0-9a-f]+) 0x[0-9a-f]+ 0x[0-9a-f]+ (0x[0-9a-f]+)", text, re.M)]
        return entry, min(start for start, _ in parts), max(start + size for start, size in parts)

    def lines(self):
        """{file: [(line, [addresses where a statement of it begins])]}. GDB has one line only of each address."""
        found = {}
        text = self.run("objdump", "--dwarf=decodedline", self.plain)
        for file, line, pc in re.findall(r"^(?:\./)?((?:[ab]\.\w+|types\.h))\s+(\d+)\s+0x([0-9a-f]+)\b.*x$", text, re.M):
            found.setdefault(file, {}).setdefault(int(line), set()).add(int(pc, 16))
        return {file: [(line, sorted(places)) for line, places in sorted(table.items())] for file, table in found.items()}

    def functions(self, names):
        """[(address, size, name, is it the only one of this name)]"""
        found = []
        pattern = re.compile(r"\b(%s)\b" % "|".join(names))
        for line in self.run("nm", "-SC", "--defined-only", self.plain).splitlines():
            words = line.split(None, 3)
            if len(words) == 4 and words[2] in "tTwW":
                name = pattern.search(words[3].split("(")[0])
                if name:
                    within = re.search("lambda|closure", words[3])
                    found.append((int(words[0], 16), int(words[1], 16), name.group(1) + (" within" if within else "")))
        found = sorted(set(found))
        count = {}
        for _, _, name in found:
            count[name] = count.get(name, 0) + 1
        return [(low, size, name, count[name] == 1 and " " not in name) for low, size, name in found if size]
