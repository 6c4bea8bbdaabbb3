# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs that count the returns of their functions, and scripts that count them, too.

generate.py DIRECTORY COUNT SEED: DIRECTORY/programN.{c,cc,rs,go}, programN.build (the command that compiles it) and
returns.stp. Each program makes about as many calls as its first argument says, and one recursion as deep as the second.
It prints "FUNCTION RETURNS SUM-OF-RESULTS SUM-OF-FIRST-ARGUMENTS" for each of its functions that returned, then
"calls N": how many calls of them began. Among eight programs, the last is one of Go and the last but one of Rust, where
these compilers are installed.
"""
import random
import shutil
import sys

import _managed

FUNCTIONS = 8
RUNTIME = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static long returned[@N@], results[@N@], given[@N@], calls, fuel, lefts;
static inline __attribute__((always_inline)) long done(int f, long a, long v) { returned[f]++; results[f] += v; given[f] += a; return v; }
#define RET(f, v) return done(f, first, (v) % 100003)
static jmp_buf back;
static int armed;
static ucontext_t contexts[4], home;
static char stacks[4][65536] __attribute__((aligned(16)));
static int at = -1;
static void away(void) { if (at >= 0) swapcontext(&contexts[at], &home); }
"""


class Function:
    def __init__(self, rng, number, throws):
        self.rng, self.number, self.throws = rng, number, throws

    def value(self):
        rng = self.rng
        return rng.choice(["a * 3 + b", "a ^ b", "x", "x + a", "-x", "b - a", "(a << 2) + 1", str(rng.randrange(-9, 9999))])

    def call(self):
        rng = self.rng
        other = rng.randrange(FUNCTIONS)
        arguments = f"(a + {rng.randrange(50)}) % {rng.randrange(3, 99)}, x % {rng.randrange(2, 77)}"
        return f"table[{other}]({arguments})" if rng.random() < 0.2 else f"f{other}({arguments})"

    def test(self):
        return self.rng.choice([f"(a ^ b) % {self.rng.randrange(2, 7)} == 0", f"x % {self.rng.randrange(2, 9)} == 1",
                                f"a > {self.rng.randrange(60)}", f"(b & {self.rng.choice([1, 2, 4])}) != 0"])

    def statement(self, depth):
        rng, n = self.rng, self.number
        kind = rng.randrange(9 if depth else 4)
        if kind == 0:
            return f"if ({self.test()}) RET({n}, {self.value()});"
        if kind in (1, 2):
            return f"x += {self.call()};"
        if kind == 3:
            if self.throws:
                return f"if (x % {rng.randrange(11, 40)} == 3) throw x;"
            return rng.choice(["away();", f"if (armed && x % {rng.randrange(30, 90)} == 3) {{ lefts++; longjmp(back, 1); }}"])
        if kind == 4:
            return f"for (long i = 0; i < (a & 3); i++) {{ {self.statement(depth - 1)} }}"
        if kind == 5:
            cases = "".join(f" case {i}: {self.statement(depth - 1)} {rng.choice(['break;', ''])}"
                            for i in range(rng.randrange(5, 12)))
            return f"switch ((unsigned long)(a + x) % 13) {{{cases} default: x++; }}"
        if kind == 6:
            return f"if ({self.test()}) {{ {self.statement(depth - 1)} }} else {{ {self.statement(depth - 1)} }}"
        if kind == 7 and self.throws:
            return f"try {{ {self.statement(depth - 1)} }} catch (long thrown) {{ x += thrown % 7; lefts++; }}"
        return f"x = x * 5 + {rng.randrange(100)};"

    def text(self):
        n = self.number
        body = "\n    ".join(self.statement(2) for _ in range(self.rng.randrange(2, 7)))
        tail = f"RET({n}, x);"
        return f"""__attribute__((noinline, noclone)) long f{n}(long a, long b)
{{
    const long first = a;
    long x = a - b;
    calls++;
    if (--fuel < 0) RET({n}, x);
    {body}
    {tail}
}}
"""


def program(rng, cxx):
    functions = [Function(rng, n, cxx) for n in range(FUNCTIONS)]
    text = RUNTIME.replace("@N@", str(FUNCTIONS))
    text += "".join(f"long f{n}(long a, long b);\n" for n in range(FUNCTIONS))
    text += f"static long (*volatile table[])(long, long) = {{{', '.join(f'f{n}' for n in range(FUNCTIONS))}}};\n"
    text += "".join(f.text() for f in functions)
    text += """static long deep_returns, deep_given;
__attribute__((noinline, noclone)) long deep(long n)
{
    calls++;
    long depth = n > 0 ? deep(n - 1) + 1 : 0;
    __asm__ volatile("" : "+r"(depth));
    deep_returns++, deep_given += n;
    return depth;
}
static void coroutine(int k) { table[k % @N@](k * 7, k); for (;;) away(); }
static void round_of(long i)
{
    fuel = 40;
    @GUARD@
}
int main(int argc, char **argv)
{
    const long total = atol(argv[1]);
    long back = 0;
    for (long i = 0; back < total && i < 10 * total; i++) {
        round_of(i);
        if (i % 16 == 0)
            for (at = 0; at < 4; at++) {
                getcontext(&contexts[at]);
                contexts[at].uc_stack.ss_sp = stacks[at];
                contexts[at].uc_stack.ss_size = sizeof stacks[at];
                fuel = 20;
                @START@
            }
        at = -1;
        back = 0;
        for (int f = 0; f < @N@; f++) back += returned[f];
    }
    deep(atol(argv[2]));
    for (int f = 0; f < @N@; f++)
        if (returned[f]) printf("f%d %ld %ld %ld\\n", f, returned[f], results[f], given[f]);
    printf("deep %ld %ld\\ncalls %ld\\n", deep_returns, deep_given, calls);
    return 3;
}
"""
    if cxx:
        guard = "try { table[i % @N@](i % 97, i); } catch (long) { lefts++; }"
        start = "at = 3;"  # exceptions do not leave a coroutine
    else:
        guard = "armed = 1; if (!setjmp(back)) table[i % @N@](i % 97, i); armed = 0;"
        start = """makecontext(&contexts[at], (void (*)(void))coroutine, 1, at + (int)i);
                swapcontext(&home, &contexts[at]);
                for (int again = 0; again < 3; again++) swapcontext(&home, &contexts[at]);"""
    return text.replace("@GUARD@", guard).replace("@START@", start).replace("@N@", str(FUNCTIONS))


# @1: the program; @2: its functions; @3: the one that recurs.
SCRIPT = """global n, s, a, deep, depths
probe process(@1).function(@2).return {
    n[ppfunc()]++; s[ppfunc()] += $return; a[ppfunc()] += $a
}
probe process(@1).function(@3).return { deep++; depths += $n }
probe end {
    foreach (f+ in n) printf("%s %d %d %d\\n", f, n[f], s[f], a[f])
    printf("deep %d %d\\n", deep, depths)
}
"""


def compiled(rng, name, cxx):
    level = rng.choice(["-O0", "-O1", "-O2", "-O3", "-Os", "-Og"])
    # Exceptions must not pass through a function that the kernel's return probe follows.
    flags = ["-g", level, "-w"] + (["-fno-optimize-sibling-calls"] if cxx else [])
    if rng.random() < 0.3:
        flags.append("-fcf-protection=none")
    if rng.random() < 0.3:
        flags.append("-static" if rng.random() < 0.5 else "-no-pie")
    source = name + (".cc" if cxx else ".c")
    return source, f"{'c++' if cxx else 'cc'} {' '.join(flags)} -o {name} {source}", program(rng, cxx)


def main():
    directory, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for i in range(count):
        rng, name = random.Random(f"{seed} {i}"), f"program{i}"
        if i % 8 == 6 and shutil.which("rustc"):
            made = _managed.rust(rng, name)
        elif i % 8 == 7 and shutil.which("go"):
            made = _managed.go(rng, name)
        else:
            made = compiled(rng, name, i % 2 == 1)
        source, command, text = made
        with open(f"{directory}/{source}", "w") as out:
            out.write(text)
        with open(f"{directory}/{name}.build", "w") as out:
            out.write(command + "\n")
    with open(f"{directory}/returns.stp", "w") as out:
        out.write(SCRIPT)


if __name__ == "__main__":
    main()
