#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what stap reads of parameters in a kernel, at entries and returns of functions, with what the callers pass. A module is built
by the kernel's own build tree and compiler. It has functions made at random (parameters.py), and calls functions of the kernel.

    kernel_parameters.py [--release R] [--functions N] [--seed N] [--O0] [--keep DIRECTORY] [--option STAP-OPTION...]

--O0 compiles the random functions without optimization. A guest loads the module. Ends with "# N values agree, N differ, N absent"; exit
status 0 if none differs and none is absent that has to be there, 1 if not, 2 if it could not be tried. Values that optimized code has dropped
may be absent, never wrong: the reasons are counted."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import parameters

# Functions that the kernel exports, as its sources declare them. The argument follows "=": "?" is any value, "?9" one from 0 to 9,
# "?-9" one from -9 to 9. Compilers leave out calls of those with "=" before if no code takes the result. Those that a kernel does not
# export are left out.
KERNEL = """
int_pow(u64 base = ?, unsigned int exp = ?60)
int_sqrt(unsigned long x = ?)
=gcd(unsigned long a = ?, unsigned long b = ?)
=lcm(unsigned long a = ?99999, unsigned long b = ?99999)
simple_strtoull(const char *cp = text, char **endp = &end, unsigned int base = ?16)
memparse(const char *ptr = text, char **retptr = &end)
hex2bin(u8 *dst = page, const char *src = text, size_t count = ?2)
bin2hex(char *dst = page, const void *src = text, size_t count = ?9)
kstrtoull(const char *s = text, unsigned int base = ?16, unsigned long long *res = other)
kstrtoint(const char *s = text, unsigned int base = ?16, int *res = other)
kstrtou8(const char *s = text, unsigned int base = ?16, u8 *res = other)
string_get_size(u64 size = ?, u64 blk_size = ?9999, enum string_size_units units = ?1, char *buf = page, int len = ?60)
hex_dump_to_buffer(const void *buf = text, size_t len = ?9, int rowsize = ?-99, int groupsize = ?4, char *linebuf = page, size_t linebuflen = ?99, bool ascii = ?1)
string_escape_mem(const char *src = text, size_t isz = ?9, char *dst = page, size_t osz = ?99, unsigned int flags = ?15, const char *only = text)
string_unescape(char *src = page, char *dst = other, size_t size = ?99, unsigned int flags = ?15)
sysfs_streq(const char *s1 = text, const char *s2 = text)
=strncasecmp(const char *s1 = text, const char *s2 = page, size_t len = ?99)
memchr_inv(const void *start = page, int c = ?, size_t bytes = ?999)
strnstr(const char *s1 = text, const char *s2 = text, size_t len = ?9)
=strcspn(const char *s = text, const char *reject = text)
mktime64(const unsigned int year0 = ?9999, const unsigned int mon0 = ?12, const unsigned int day = ?31, const unsigned int hour = ?23, const unsigned int min = ?59, const unsigned int sec = ?)
set_normalized_timespec64(struct timespec64 *ts = other, time64_t sec = ?-99999, s64 nsec = ?-99999999)
ns_to_timespec64(s64 nsec = ?)
time64_to_tm(time64_t totalsecs = ?-9999999, int offset = ?-9999, struct tm *result = other)
timespec64_to_jiffies(const struct timespec64 *value = other)
nsecs_to_jiffies(u64 n = ?)
ktime_add_safe(const ktime_t lhs = ?, const ktime_t rhs = ?)
ida_alloc_range(struct ida *ida = &numbers, unsigned int min = ?9, unsigned int max = ?9999, gfp_t gfp = GFP_KERNEL)
xa_store(struct xarray *xa = &entries, unsigned long index = ?, void *entry = text, gfp_t gfp = GFP_KERNEL)
in4_pton(const char *src = text, int srclen = ?-9, u8 *dst = page, int delim = ?-1, const char **end = &end)
in6_pton(const char *src = text, int srclen = ?-9, u8 *dst = page, int delim = ?-1, const char **end = &end)
csum_partial(const void *buff = page, int len = ?999, __wsum sum = ?)
uuid_parse(const char *uuid = text, uuid_t *u = other)
kernel_read(struct file *file = file, void *buf = page, size_t count = ?4096, loff_t *pos = &position)
vfs_llseek(struct file *file = file, loff_t offset = ?, int whence = ?-99)
vfs_fsync_range(struct file *file = file, loff_t start = ?, loff_t end = ?, int datasync = ?)
__bitmap_shift_left(unsigned long *dst = page, const unsigned long *src = other, unsigned int shift = ?99, unsigned int nbits = ?999)
bitmap_find_next_zero_area_off(unsigned long *map = page, unsigned long size = ?999, unsigned long start = ?99, unsigned int nr = ?99, unsigned long align_mask = 7, unsigned long align_offset = ?99)
__bitmap_equal(const unsigned long *bitmap1 = page, const unsigned long *bitmap2 = other, unsigned int bits = ?9999)
__bitmap_set(unsigned long *map = page, unsigned int start = ?999, int len = ?999)
bitmap_parse(const char *start = text, unsigned int buflen = ?9, unsigned long *maskp = page, int nmaskbits = ?999)
bitmap_parselist(const char *buf = text, unsigned long *maskp = page, int nmaskbits = ?999)
bitmap_bitremap(int oldbit = ?63, const unsigned long *old = page, const unsigned long *new = other, int bits = 64)
bitmap_cut(unsigned long *dst = page, const unsigned long *src = page, unsigned int first = ?99, unsigned int cut = ?99, unsigned int nbits = 999)
bitmap_print_to_pagebuf(bool list = ?1, char *buf = page, const unsigned long *maskp = other, int nmaskbits = ?99)
kmemdup(const void *src = text, size_t len = ?9, gfp_t gfp = GFP_KERNEL)
kstrndup(const char *s = text, size_t max = ?99, gfp_t gfp = GFP_KERNEL)
reciprocal_value(u32 d = 77)
memory_read_from_buffer(void *to = page, size_t count = ?999, loff_t *ppos = &position, const void *from = other, size_t available = ?999)
mul_u64_u64_div_u64(u64 a = ?99999, u64 b = ?99999, u64 c = 99)
cpumask_local_spread(unsigned int i = ?99, int node = -1)
utf8s_to_utf16s(const u8 *s = text, int inlen = ?9, enum utf16_endian endian = ?2, wchar_t *pwcs = page, int maxout = ?99)
filp_open(const char *filename = "/none", int flags = ?1, umode_t mode = ?4095)
=crc32_le(u32 crc = ?, unsigned char const *p = page, size_t len = ?999)
"""

HEAD = """#include <linux/module.h>
#include <linux/bitmap.h>
#include <linux/crc32.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gcd.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/lcm.h>
#include <linux/math64.h>
#include <linux/nls.h>
#include <linux/reciprocal_div.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/time.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/xarray.h>
#include <net/checksum.h>
MODULE_LICENSE("GPL");
static char text[] = "4711";
static char page[4096] __aligned(64), other[4096] __aligned(64);
static const char *end;
static volatile unsigned long result;
static loff_t position;
static struct file *file;
static DEFINE_IDA(numbers);
static DEFINE_XARRAY(entries);
void call_all(void);
/* Scripts see by it which of the calls below is being made. */
void making(long number);
noinline void making(long number) { asm volatile("" : : "r"(number) : "memory"); }
"""


def kernel_calls(dice, exported):
    """C that calls functions of the kernel and says what it passes, and [(function, parameters)]. Call `c` of function `f` is made
    with the number f * CALLS + c."""
    functions, callers = [], []
    for kept, name, declared in re.findall(r"^(=?)(\w+)\((.*)\)$", KERNEL, re.M):
        if name not in exported:
            continue
        passed = [re.fullmatch(r"(.*?)(\w+) = (.*)", parameter).groups() for parameter in declared.split(", ")]
        for call in range(parameters.CALLS):
            number = len(functions) * parameters.CALLS + call
            text = ""
            for type_name, parameter, value in passed:
                if value.startswith("?"):
                    most = int(value[1:] or 0)
                    chosen = dice.getrandbits(63) if value == "?" else dice.randint(min(most, -most), -most) if most < 0 else dice.randint(0, most)
                    value = "%dL" % chosen
                text += "    %s volatile a_%s = (%s)(%s);\n" % (type_name, parameter, type_name, value)
                text += '    printk(KERN_INFO "passes %s %d %s %%lx\\n", (unsigned long)a_%s);\n' % (name, call, parameter, parameter)
            callers.append("static noinline void kernel_call%d(void) {\n%s    making(%d);\n    %s%s(%s);\n    making(-1);\n}"
                           % (number, text, number, "result = " if kept else "", name, ", ".join("a_" + parameter for _, parameter, _ in passed)))
        functions.append((name, [parameter for _, parameter, _ in passed]))
    body = "\n".join("    kernel_call%d();" % number for number in range(len(callers)))
    return ('%s\n%s\nstatic int __init begin(void) {\n    file = filp_open("/proc/version", O_RDONLY, 0);\n    if (IS_ERR(file))\n'
            "        return PTR_ERR(file);\n    call_all();\n%s\n    fput(file);\n    return 0;\n}\n"
            "static void __exit end_of_module(void) { xa_destroy(&entries); ida_destroy(&numbers); }\n"
            "module_init(begin);\nmodule_exit(end_of_module);\n" % (HEAD, "\n".join(callers), body)), functions


def kernel_probes(module, functions):
    """Only the first of what a call leads to counts: the kernel may call the same function on the way."""
    lines = ["global caller, number, made",
             'probe module("%s").function("making").call { number = $number caller = number < 0 ? 0 : tid() }' % module]
    for index, (name, declared) in enumerate(functions):
        for suffix, key, read in [("call", "entry", "$%s"), ("return", "return", "$%s"), ("return", "saved", "@entry($%s)")]:
            body = "\n    ".join(parameters.reads("kernel", name, key, what, read % what) for what in declared)
            lines.append('probe kernel.function("%s").%s ? {\n    if (tid() != caller || number / %d != %d || made["%s", "%s", number]++) next\n'
                         "    n = number %% %d\n    %s\n}" % (name, suffix, parameters.CALLS, index, name, key, parameters.CALLS, body))
    # A call that comes from a program. The last of its process is the one that is known.
    for name in ["vfs_read", "vfs_write"]:
        lines.append('probe kernel.function("%s").call ? {\n    n = 0\n    if (execname() == "dd") { %s }\n}'
                     % (name, parameters.reads("kernel", name, "entry", "count", "$count")))
    return lines


def reasons(stap, release, places, points, path):
    """How often stap gives which reason for not reading the parameters at `places`, the most frequent first."""
    lines = []
    for base, function, key, _, what in sorted({place[:3] + (0, place[4]) for place in places}):
        read = "@entry($%s)" if key == "saved" else "$%s"
        lines.append('probe %s.function("%s").%s { println(%s) }' % (points[base], function, "call" if key == "entry" else "return", read % what))
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    said = subprocess.run([stap, "-r", release, "-p2", "-w", "--semantic-keep-going", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, universal_newlines=True, check=False).stderr
    found = re.findall(r"^SEMANTIC_ERROR\t(?:[^\t]*\t){4}(.*)$", said, re.M)
    # Names and places differ, reasons do not.
    return collections.Counter(re.sub(r"'[^']*'|\$\w+(->\w+)*|0x[0-9a-f]+|\b\d+\b|\S+\.[ch]\S*", "_", text) for text in found).most_common()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--release", default="")
    parser.add_argument("--functions", type=int, default=200)
    parser.add_argument("--most", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--O0", action="store_true")
    parser.add_argument("--option", nargs="*", default=[])
    parser.add_argument("--keep")
    options = parser.parse_args()
    programs = os.environ.get("TAPIR_BIN", parameters.ROOT + "/build/bin")
    stap = os.path.join(programs, "stap")
    temporary = None if options.keep else tempfile.TemporaryDirectory()
    directory = os.path.realpath(options.keep or temporary.name)
    os.makedirs(directory, exist_ok=True)

    kernel = subprocess.run([os.path.join(programs, "stap-vm"), "--print-kernel", "--headers", "--debug-info="] +
                            (["-k", options.release] if options.release else []), stdout=subprocess.PIPE, universal_newlines=True, check=False)
    where = dict(re.findall(r"^(\S+) (.*)$", kernel.stdout, re.M))
    if "build" not in where:
        print("there is no build tree of the kernel")
        return 2
    release = where["release"]
    with open(where["build"] + "/Module.symvers") as file:
        exported = {line.split("\t")[1] for line in file if line.split("\t")[2] == "vmlinux"}

    print("# seed %d, kernel %s%s" % (options.seed, release, ", -O0" if options.O0 else ""))
    dice = parameters.Dice("%d kernel" % options.seed)
    writer = parameters.CWriter(dice, kernel=True)
    source, functions = kernel_calls(dice, exported)
    for name, text in [("calls.c", source), ("random.c", writer.text(options.functions, options.most)),
                       ("Makefile", "obj-m := passes.o\npasses-y := calls.o random.o\nccflags-y += -w -g\n" +
                        ("CFLAGS_random.o += -O0\n" if options.O0 else ""))]:
        with open(os.path.join(directory, name), "w") as file:
            file.write(text)
    subprocess.check_call([parameters.HERE + "/../vm/make-module.sh", where["build"], directory], stdout=sys.stderr)
    module = os.path.join(directory, "passes.ko")

    points = {"module": 'module("%s")' % module, "kernel": "kernel"}
    expected = parameters.expectations("module", writer.listed, not options.O0)
    script = parameters.probes(points["module"], "module", writer.listed)
    if "debug" in where:
        script += kernel_probes(module, functions)
        expected.update({("kernel", name, "entry", 0, "count"): ("%x" % 12345, True) for name in ["vfs_read", "vfs_write"]})
    else:
        print("# without functions of the kernel: there is no debug information of it")
    text, answers = parameters.ask([stap, "--vm=" + release, *options.option], script, os.path.join(directory, "ask.stp"),
                                   "sh -c 'insmod %s && dd if=/dev/zero of=/dev/null bs=12345 count=1 status=none; dmesg | grep passes'" % module)
    if "debug" in where:
        for function, call, what, value in re.findall(r"passes (\w+) (\d) (\w+) (\w+)$", text, re.M):
            for key in ["entry", "return", "saved"]:
                expected["kernel", function, key, int(call), what] = (value, True)
    if options.keep:
        with open(os.path.join(directory, "said"), "w") as file:
            file.write(text)
    agree, differ, absent, missing = parameters.compare(expected, answers)
    unknown = [place for place in absent if answers[place] == "unknown"]
    if unknown:
        print("# absent, %d times: it is known from some callers only" % len(unknown))
    for reason, times in reasons(stap, release, set(absent) - set(unknown), points, os.path.join(directory, "reasons.stp")):
        print("# absent, %d times: %s" % (times, reason))
    if missing:
        print("# did not fire: " + ", ".join(sorted({function + " of the kernel" * (base == "kernel") for base, function, _ in missing})))
    for base in points:
        print("# %s: %d values agree" % (base, sum(place[0] == base and answers.get(place) == value for place, (value, _) in expected.items())))
    print("# %d values agree, %d differ, %d absent; %d probes did not fire" % (agree, differ, len(absent), len(missing)))
    return 1 if differ else 0 if agree else 2


if __name__ == "__main__":
    sys.exit(main())
