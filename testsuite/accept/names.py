#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `stap -l` prints for functions can be given back, and then means exactly the places that it was printed for. In
installed programs and libraries, in the kernel, and in files whose debug information is in a file of its own, which may
take nothing away. Where functions are is compared with what readelf says of the symbols.

    names.py --release R [--bin DIR] [--vmlinux FILE] [--files N] [--names N] [--seed N] [FILE...]

Ends with "# N names are found again, N problems"; exit status 0 if there is no problem.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DIRECTORIES = ("/usr/bin", "/usr/sbin", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64")
LINE = re.compile(r'(?P<point>.*\.function\("(?P<label>(?:[^"\\]|\\.)*)"\)(?:\.\w+)*) /\* pc=(?P<place>\S+) \*/$')
# Parts of functions, by readelf's names; no code calls them.
PIECES = re.compile(r"\.cold(\.\d+)?$|\.part\.\d+")
GO_CHECK = 40  # bytes
# An argument of a command has a limit.
MOST = 100000
# A label with one of these is worth more than one without.
PECULIAR = re.compile(r'[^\w.@/:+-]|operator|^::')

C_SOURCE = """
int sink;
__attribute__((noinline)) int old_open(int bytes) { return sink = bytes; }
__attribute__((noinline)) int new_open(int bytes) { return sink = bytes + 1; }
__asm__(".symver old_open, opened@V1\\n.symver new_open, opened@@V2");
__attribute__((noinline)) int __take(long bytes) { return sink = (int)bytes; }
int take(long bytes) __attribute__((alias("__take")));
static __attribute__((noinline)) int hidden(int a) { return sink = a; }
int calls(int a) { return hidden(a); }
__asm__(".text\\n.globl bare\\n.type bare,@function\\nbare: ret\\n.size bare,.-bare\\n");
"""


def output(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False, **options)
    return done.stdout


def listed(stap, points, environment=None):
    """Label -> places, of what `stap -l` prints for points; labels as they stand in the point."""
    found, left = {}, list(points)
    while left:
        text = left.pop()
        while left and len(text) + len(left[-1]) < MOST:
            text += ", " + left.pop()
        for line in output(*stap, "-v", "-l", text, env=environment).splitlines():
            match = LINE.match(line)
            if match:
                found.setdefault(match["point"], set()).add(match["place"])
    return found


def segments(path):
    """(address, file offset, bytes) of what is loaded."""
    found = []
    for line in output("readelf", "-lW", path).splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            found.append((int(words[2], 16), int(words[1], 16), int(words[4], 16)))
    return found


def takes_no_uprobe(code):
    """Has the first instruction a prefix with which the kernel refuses it: LOCK, or ES, CS, SS, DS?"""
    return re.match(rb"[\x66\x67\xf2\xf3]*[\xf0\x26\x2e\x36\x3e]", code) is not None


def functions(path):
    """Names -> file offsets, of the functions that readelf shows in .dynsym and .symtab; without names of which one
    version is chosen when a program starts, and without places that take no uprobe."""
    loaded, found, chosen = segments(path), {}, set()
    content = pathlib.Path(path).read_bytes()
    for line in output("readelf", "-sW", path).splitlines():
        words = line.split()
        if len(words) < 8 or words[3] not in ("FUNC", "IFUNC") or words[6] in ("UND", "ABS"):
            continue
        address, name = int(words[1], 16), re.sub(r"@@?[\w.]+$", "", words[7])
        if words[3] == "IFUNC":
            chosen.add(name)
            continue
        for start, offset, size in loaded:
            place = address - start + offset
            if start <= address < start + size and not takes_no_uprobe(content[place : place + 16]):
                found.setdefault(name, set()).add(hex(place))
    return {name: places for name, places in found.items() if name not in chosen}


class Check:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.stap = [options.bin.resolve() / "stap", "-r", options.release]
        self.problems, self.again = [], 0

    def problem(self, text):
        self.problems.append(text)
        print("# " + text, flush=True)

    def give_back(self, what, all_places, environment=None):
        """Some of the points of a listing."""
        points = sorted(all_places)
        peculiar = [point for point in points if PECULIAR.search(LINE.match(point + " /* pc=0 */")["label"])]
        count = self.options.names
        some = self.random.sample(peculiar, min(count // 2, len(peculiar)))
        some += self.random.sample(points, min(count - len(some), len(points)))
        some = sorted(set(some))
        found = listed(self.stap, some, environment)
        for point in some:
            if found.get(point) != all_places[point]:
                self.problem(f"{what}: {point} was at {sorted(all_places[point])}, given back it is at "
                             f"{sorted(found.get(point, []))}")
        for point in sorted(set(found) - set(some)):
            # Which of them it was, if that does not take long:
            word = re.findall(r"\w+", LINE.match(point + " /* pc=0 */")["label"].split("@")[0])[-1:]
            near = [one for one in some if word and word[0] in one][:20]
            culprits = [one for one in near if point in listed(self.stap, [one], environment)]
            self.problem(f"{what}: {culprits or 'one of them'} also means {point}")
        self.again += len(some)

    def check_file(self, path):
        all_places = listed(self.stap, [f'process("{path}").function("*")'])
        if not all_places:
            return False
        places = set().union(*all_places.values())
        symbols = functions(path)
        if "runtime.text" in symbols:
            # Entries of functions of Go are behind the check of the stack's room.
            places = {hex(int(place, 16) - behind) for place in places for behind in range(GO_CHECK)}
        for name, offsets in symbols.items():
            if not PIECES.search(name) and not offsets <= places:
                self.problem(f"{path}: {name} at {sorted(offsets - places)} is not listed")
        self.give_back(path, all_places)
        return True

    def check_files(self):
        files = [pathlib.Path(directory) / name for directory in DIRECTORIES if os.path.isdir(directory)
                 for name in sorted(os.listdir(directory))]
        files = [path for path in files if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)]
        self.random.shuffle(files)
        left = self.options.files
        for path in files:
            if left == 0:
                break
            with open(path, "rb") as start:
                if start.read(4) == b"\x7fELF" and self.check_file(path):
                    left -= 1

    def check_names_with_debug_information(self, path, environment=None):
        """Each name that other files use, however many versions it has."""
        symbols = functions(path)
        names = [name for name in symbols if not PIECES.search(name)]
        found = listed(self.stap, [f'process("{path}").function("{name}")' for name in names], environment)
        places = set().union(*found.values()) if found else set()
        for name in names:
            if not symbols[name] <= places:
                self.problem(f"{path}: {name} at {sorted(symbols[name] - places)} is not found")
        self.again += len(names)

    def check_separate(self):
        """With debug information in a file of its own, all is there that is there without."""
        with tempfile.TemporaryDirectory() as name:
            work = pathlib.Path(name)
            (work / "library.c").write_text(C_SOURCE)
            (work / "versions").write_text("V1 { global: *; };\nV2 { } V1;\n")
            made = subprocess.run(
                "gcc -shared -fPIC -O2 -g -Wl,--version-script=versions -Wl,--build-id -o library.so library.c && "
                "id=$(readelf -n library.so | sed -n 's/.*Build ID: //p') && d=debug/.build-id/$(echo $id | cut -c1-2) && "
                "mkdir -p $d && objcopy --only-keep-debug library.so $d/$(echo $id | cut -c3-).debug && strip library.so",
                shell=True, cwd=work, check=False)
            if made.returncode:
                self.problem("the library could not be made")
                return
            library = work / "library.so"
            without = listed(self.stap, [f'process("{library}").function("*")'])
            environment = dict(os.environ, SYSTEMTAP_DEBUGINFO_PATH=str(work / "debug"))
            with_it = listed(self.stap, [f'process("{library}").function("*")'], environment)
            if not any("library.c" in point for point in with_it):
                self.problem("the debug information was not found")
            lost = set().union(*without.values()) - set().union(*with_it.values())
            if lost or not without:
                self.problem(f"with debug information, {sorted(lost)} of {without} are not listed")
            self.check_names_with_debug_information(library, environment)
            self.give_back(library, with_it, environment)
        libraries = sorted({os.path.realpath(os.path.join(directory, "libc.so.6")) for directory in DIRECTORIES
                            if os.path.exists(os.path.join(directory, "libc.so.6"))})
        for library in libraries:
            self.check_names_with_debug_information(library)

    def check_kernel(self):
        point = 'kernel.function("*").call'
        all_places = listed(self.stap, [point])
        if len(all_places) < 10000:
            self.problem(f"{point} lists {len(all_places)} functions only")
            return
        self.give_back("kernel", all_places)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--release", required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent.parent / "build/bin")
    parser.add_argument("--vmlinux", help="the kernel's debug information; without it the kernel is left out")
    parser.add_argument("--files", type=int, default=12, help="how many installed files; default %(default)s")
    parser.add_argument("--names", type=int, default=60, help="how many names of each; default %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("file", nargs="*", help="these files instead of installed ones")
    options = parser.parse_args()
    check = Check(options)
    if options.file:
        for path in options.file:
            check.check_file(os.path.abspath(path))
    else:
        check.check_files()
        check.check_separate()
        if options.vmlinux and os.path.exists(options.vmlinux):
            check.check_kernel()
    print(f"# {check.again} names are found again, {len(check.problems)} problems")
    return 1 if check.problems else 0


sys.exit(main())
