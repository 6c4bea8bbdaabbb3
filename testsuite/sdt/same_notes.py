#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the notes of sdt/include/sys/sdt.h with those of the header of Debian's package systemtap-sdt-dev.

The same declarations in C, C++ and assembly are compiled with both headers, by each compiler that is there, at several levels, and
linked. The code, the notes, the section .stapsdt.base and the semaphores have to be the same, byte by byte. The package is fetched
with apt-get and unpacked in a directory of its own; only compilers read its header.

same_notes.py HEADER_DIRECTORY [REFERENCE_DIRECTORY]
Status 77 if the package could not be fetched or installed nowhere."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

# Things that the declarations below name; `SEMAPHORE` is a definition where these are tried.
COMMON = """
enum unsigned_enum { A, B, C = 7 };
enum signed_enum { M = -1, N };
struct two { int x, y; };
char text[16];
int numbers[4];
short matrix[2][3];
float single = 1.5f;
double twice = 2.5;
const volatile short constant = -3;
volatile unsigned long changing = 5;
struct two pair;
struct two *pair_at = &pair;
enum unsigned_enum some;
enum signed_enum negative;
void (*function_at)(void);
static int hidden = 4;
extern "C" int get(void);
"""

# The arguments of one mark each, in C and C++.
BOTH = """
|
1|
-1|
5ul|
1ll << 40|
'a'|
(char)-2|
(unsigned char)200|
(short)-300|
(unsigned short)60000|
i|
u|
c|
sc|
uc|
s|
us|
l|
ul|
ll|
ull|
i + 1|
i * 3, i * 5|
(long)i, (char)l|
u ? l : -l|
q|
text|
&text[3]|
"text"|
numbers|
numbers[i & 3]|
matrix|
matrix[1]|
single|
twice|
pf|
pd|
pf * 2, pd + 1|
1.5|
2.5f|
constant|
changing|
pair_at|
pair_at->y|
pair.x|
&pair|
some|
negative|
B|
N|
(enum signed_enum)i|
function_at|
&function_at|
hidden|
&hidden|
(void *)0|
*q|
q[i]|
get()|
sizeof(int)|
(const char *)text + i|
i > 3|
!i|
i, u|
i, u, l|
i, u, l, q|
i, 2, l, text, single|
1, 2, 3, 4, 5, 6|
i, 2, 3, 4, l, 6, 7|
1, 2, 3, 4, 5, 6, 7, 8|
1, 2, 3, i, 5, 6, 7, 8, 9|
1, 2, 3, 4, 5, 6, 7, 8, 9, 10|
1, 2, 3, 4, 5, i, 7, 8, 9, 10, 11|
1, 2, 3, 4, 5.5, 6, 7, 8, 9, 10, 11, 12.5f|
"""

ONLY_C = """
(_Bool)i|
pair|
"""

ONLY_CXX = """
true|
i != 0|
scoped|
scoped_short|
reference|
array_reference|
pair|
nullptr|
L'w'|
u'x'|
templated(i)|
of_member.first()|
"""

CXX = """
enum class small : short { One = -1 } scoped_short;
enum class wide { One = -1 } scoped;
int &reference = hidden;
int (&array_reference)[4] = numbers;
template <class T> static inline __attribute__((always_inline)) T templated(T t) { MARK(in_template, 1, t) return t + 1; }
struct member { int value; int first() { MARK(in_member, 1, this->value) return value; } } of_member;
inline __attribute__((noinline)) int inlined(int i) { MARK(in_group, 1, i) return i; }
int (*of_inlined)(int) = inlined;
namespace space { void in(long l) { MARK(in_namespace, 1, l) } }
"""

ASSEMBLY = {
    "x86_64": ["8@%rax", "-4@$5", "8@8(%rsp)", "8@(%rax,%rbx,4)", "4@symbol(%rip), -2@%ax", "1@%al, -1@$-5, 8@%fs:0(%rdi)", "8f@%xmm0",
               "8@%rdi, 8@%rsi, 8@%rdx, 8@%rcx, 8@%r8, 8@%r9, 8@%r10, 8@%r11, 8@%r12, 8@%r13, 8@%r14, 8@%r15"],
    "i386": ["4@%eax", "-4@$5", "4@8(%esp), -1@%al"],
    "aarch64": ["8@x0", "-4@w1", "8@[sp]", "8@[x1], -4@5", "8@x0, 8@x1, 8@x2, 8@x3, 8@x4, 8@x5"],
}


def arguments_of(text):
    return [line.strip() for line in text.strip("\n").replace("\n", "").split("|")[:-1]]


def count(arguments):
    depth = places = 0
    for at, letter in enumerate(arguments):
        depth += (letter in "([") - (letter in ")]")
        places += letter == "," and not depth
    return places + 1 if arguments else 0


def mark(number, arguments, name):
    many = count(arguments)
    return f"STAP_PROBE{many or ''}(libtest, {name}{number}{', ' if many else ''}{arguments});"


PARAMETERS = ("int i, unsigned u, char c, signed char sc, unsigned char uc, short s, unsigned short us, long l, unsigned long ul, "
              "long long ll, unsigned long long ull, float pf, double pd, char *q")


def source_of(language, semaphores):
    cxx = language == "c++"
    declarations = arguments_of(BOTH) + arguments_of(ONLY_CXX if cxx else ONLY_C)
    names = [f"m{n}" for n in range(len(declarations))] + ["by_count", "no_count", "dtrace_one"]
    # The reference has STAP_PROBE_ASM for C only.
    names += ["in_template", "in_member", "in_group", "in_namespace"] if cxx else ["own", "own_template"]
    lines = ["#define SDT_USE_VARIADIC 1"] + (["#define _SDT_HAS_SEMAPHORES 1"] if semaphores else []) + ["#include <sys/sdt.h>"]
    lines.append("#define MARK(name, n, ...) STAP_PROBE##n(libtest, name, __VA_ARGS__);")
    if semaphores:
        lines += [f'unsigned short libtest_{name}_semaphore __attribute__((section(".probes")));' for name in names]
    lines.append(COMMON if cxx else COMMON.replace('extern "C" ', ""))
    if cxx:
        lines.append(CXX)
    for number, arguments in enumerate(declarations):
        lines.append(("extern \"C\" " if cxx else "") + f"void f{number}({PARAMETERS}) {{ {mark(number, arguments, 'm')} }}")
    if not cxx:
        lines.append("""
void asm_statements(long i, long l) {
    __asm__ volatile("nop\\n\\t" STAP_PROBE_ASM(libtest, own, 8@%0 -4@%1) : : "r"(l), "r"(i));
    __asm__ volatile(STAP_PROBE_ASM(libtest, own_template, STAP_PROBE_ASM_TEMPLATE(3)) : : STAP_PROBE_ASM_OPERANDS(3, i, l, 5.5f));
}""")
    lines.append("""
void others(int i, long l) {
    STAP_PROBEV(libtest, by_count, i, l, i);
    STAP_PROBEV(libtest, no_count);
    DTRACE_PROBE1(libtest, dtrace_one, l);
}""")
    return "\n".join(lines) + "\n", len(names)


def assembly_of(machine, semaphores):
    operands = ASSEMBLY[machine]
    lines = (["#define _SDT_HAS_SEMAPHORES 1"] if semaphores else []) + ["#include <sys/sdt.h>", "#define REGISTER " + operands[0]]
    lines += [".globl symbol", "symbol:", "STAP_PROBE(libasm, none)", "DTRACE_PROBE1(libasm, one, REGISTER)"]
    names = ["none", "one"]
    for number, text in enumerate(operands):
        lines.append(f"STAP_PROBE{count(text)}(libasm, a{number}, {text})")
        names.append(f"a{number}")
    if semaphores:
        lines += ['.section .probes, "aw"'] + [f".globl libasm_{name}_semaphore\nlibasm_{name}_semaphore: .2byte 0" for name in names]
    return "\n".join(lines) + "\n", len(names)


class Comparison:
    def __init__(self, own, reference, top):
        self.headers = (own, reference)
        self.top = top
        self.compared = self.different = self.builds = 0

    def run(self, *command):
        # Messages of compilers would quote lines of the reference.
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return done.stdout if done.returncode == 0 else None

    def build(self, which, source, compile_with, link_with):
        stem = os.path.join(self.top, f"{which}-{os.path.basename(source)}")
        if self.run(*compile_with, "-isystem", self.headers[which], "-c", source, "-o", stem + ".o") is None:
            return None
        return stem if self.run(*link_with, "-e", "0", stem + ".o", "-o", stem) is not None else None

    def sections(self, path):
        found = {}
        for name in (".note.stapsdt", ".stapsdt.base", ".probes", ".text"):
            copy = path + name
            self.run("objcopy", "-O", "binary", "-I", self.format(path), "-j", name, "--set-section-flags", f"{name}=alloc", path, copy)
            found[name] = open(copy, "rb").read() if os.path.exists(copy) else b""
        table = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, check=True, text=True).stdout
        for line in table.splitlines():
            fields = line.replace("[ ", "[").split()
            if len(fields) > 8 and fields[1] in found:
                # Type, address, size, flags and alignment; not where it is in the file.
                found[fields[1] + " header"] = [fields[2], fields[3], fields[5]] + fields[6:]
        return found

    @staticmethod
    def format(path):
        with open(path, "rb") as file:
            head = file.read(20)
        machine = int.from_bytes(head[18:20], "little")
        return {62: "elf64-x86-64", 3: "elf32-i386"}.get(machine, "elf64-little")

    def compare(self, title, source, marks, compile_with, link_with):
        built = [self.build(which, source, compile_with, link_with) for which in (0, 1)]
        if built[1] is None:
            print(f"# {title}: not with the reference")
            return
        self.builds += 1
        self.compared += marks
        if built[0] is None:
            print(f"not ok {title}: does not compile")
            self.different += 1
            return
        own, reference = (self.sections(path) for path in built)
        wrong = [name for name in reference if own.get(name) != reference[name]]
        if wrong or not own[".note.stapsdt"]:
            self.different += 1
            print(f"not ok {title}: {', '.join(wrong) or 'no notes'}")
            notes = [subprocess.run(["readelf", "-nW", path], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines() for path in built]
            for one, two in zip(*notes):
                if one != two:
                    print(f"#   {one.strip()}\n#   {two.strip()} (reference)")
                    break
        else:
            print(f"ok {title}: {marks} marks")
        for path in glob.glob(os.path.join(self.top, "[01]-*")):
            os.remove(path)


def fetched(top):
    done = subprocess.run("apt-get -qq download systemtap-sdt-dev && dpkg -x systemtap-sdt-dev_*.deb .", shell=True, cwd=top, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = glob.glob(os.path.join(top, "usr/include/**/sys/sdt.h"), recursive=True) if done.returncode == 0 else []
    return os.path.dirname(os.path.dirname(found[0])) if found else None


def ways():
    """Machine, title, command of the C compiler, of C++'s, and of the linker."""
    for compiler, cxx in (("gcc", "g++"), ("clang", "clang++")):
        if shutil.which(compiler):
            yield "x86_64", compiler, [compiler], [cxx], ["ld"]
            yield "i386", compiler + " -m32", [compiler, "-m32"], [cxx, "-m32"], ["ld", "-m", "elf_i386"]
    cross = "aarch64-linux-gnu-"
    if shutil.which(cross + "ld"):
        if shutil.which(cross + "gcc"):
            cxx = [cross + "g++"] if shutil.which(cross + "g++") else None
            yield "aarch64", cross + "gcc", [cross + "gcc"], cxx, [cross + "ld"]
        if shutil.which("clang"):
            target = "--target=aarch64-linux-gnu"
            yield "aarch64", "clang " + target, ["clang", target], ["clang++", target], [cross + "ld"]


LEVELS = (["-O0", "-fno-pie"], ["-O2", "-fPIC"])


def levels(title, semaphores):
    """Code without optimization differs where LLVM chooses another way for what it cannot select fast."""
    if "--target" in title:
        return LEVELS[1:]
    return LEVELS + ((["-O3", "-g", "-fPIE"],) if title == "gcc" and not semaphores else ())


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as top:
        reference = sys.argv[2] if len(sys.argv) > 2 else fetched(top)
        if not reference:
            print("ok the same notes # SKIP systemtap-sdt-dev could not be fetched")
            sys.exit(77)
        comparison = Comparison(os.path.abspath(sys.argv[1]), os.path.abspath(reference), top)
        for machine, title, c, cxx, linker in ways():
            for semaphores in (False, True):
                kind = ", semaphores" if semaphores else ""
                languages = [("c", c, ["-std=gnu11"], "c"), ("c++", cxx, ["-std=gnu++17", "-fno-exceptions"], "cc")]
                for language, compiler, options, suffix in languages:
                    if not compiler:
                        continue
                    path = os.path.join(top, f"marks{'_s' if semaphores else ''}.{suffix}")
                    text, marks = source_of(language, semaphores)
                    open(path, "w", encoding="utf-8").write(text)
                    for level in levels(title, semaphores):
                        link = linker + (["-shared"] if "-fPIC" in level else ["-pie"] if "-fPIE" in level else [])
                        link += [] if "-fPIC" in level else ["--defsym=get=0"]
                        comparison.compare(f"{title}, {language} {' '.join(level)}{kind}", path, marks, compiler + options + level, link)
                path = os.path.join(top, f"marks{'_s' if semaphores else ''}.S")
                text, marks = assembly_of(machine, semaphores)
                open(path, "w", encoding="utf-8").write(text)
                comparison.compare(f"{title}, assembly{kind}", path, marks, c, linker)
        print(f"# {comparison.builds} builds, {comparison.compared} marks compared; {comparison.different} builds differ")
        sys.exit(1 if comparison.different or not comparison.builds else 0)


if __name__ == "__main__":
    main()
