#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Other people's scripts: the examples of Debian's package systemtap-doc, translated (stap -p4) and run in a guest.

Each example has a file NAME.meta that says how its authors test it: "test_check: stap -p4 NAME.stp ..." and
"test_installcheck: stap NAME.stp ... -T 1". The commands are run as they are. A table has the expected result of each (examples.tsv):

    script <TAB> translates <TAB> runs <TAB> pattern <TAB> reason

    translates, runs  yes, no (with the reason), or for `runs`: none (the example says not how, or only how to translate it);
                      for `translates`: condition (where the example's own test_support succeeds, as with a program that is installed)
    pattern           what a line of the output must match (Python's re.search); "-": any output or none is plausible

Status 0 if everything is as the table says, 1 if not, 77 if there are no examples to be had.

    examples.py [--release R] [--bin DIR] [--guest] [--only WORD] [--jobs N] [--write] [DIRECTORY]
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LEAST_SHARE = 0.90  # that have to translate, of the scripts whose own condition (test_support) holds here
SECONDS = int(45 * float(os.environ.get("TAPIR_PATIENCE", 2)))  # for one script, translated or run
# Messages of scripts that are no trouble: opinions of the translator, a few hits that an emulated
# processor misses, and values that are documented to be approximate.
HARMLESS = "never-assigned|Eliding|Number of errors: 0, skipped|source lines of the kernel are not known"
TROUBLE = re.compile(rf"^(ERROR|WARNING: (?!.*({HARMLESS}))|.*semantic error|.*parse error).*", re.M)


def tar_of_debian(directory):
    """Downloads and unpacks the package; where the examples are, or None."""
    done = subprocess.run(["apt-get", "download", "systemtap-doc"], cwd=directory, capture_output=True)
    packages = list(pathlib.Path(directory).glob("systemtap-doc_*.deb"))
    if done.returncode != 0 or not packages:
        return None
    subprocess.run(["dpkg-deb", "-x", str(packages[0]), str(directory)], check=True)
    return pathlib.Path(directory) / "usr/share/systemtap/examples"


class Example:
    def __init__(self, path, root):
        self.name = str(path.relative_to(root))
        self.directory = path.parent
        self.check = self.installcheck = self.support = None
        metas = [path.with_suffix(".meta")] + sorted(path.parent.glob("*.meta"))
        for meta in metas:
            if not meta.exists():
                continue
            text = meta.read_text(errors="replace")
            mine = meta == path.with_suffix(".meta")
            for key, attribute in (("test_check", "check"), ("test_installcheck", "installcheck"), ("test_support", "support")):
                found = re.search(rf"^{key}:[ \t]*(\S.*)$", text, re.M)
                if found and not getattr(self, attribute) and (mine or re.search(rf"(^|[ /]){re.escape(path.name)}\b", found[1])):
                    setattr(self, attribute, found[1].strip())
        # Arguments for examples that have no test of their own.
        self.check = self.check or f"stap -g -p4 {path.name} $(command -v stap) main"

    def is_script(self):
        """Not a form to be filled in, nor a tapset file of other examples."""
        text = (self.directory / pathlib.Path(self.name).name).read_text(errors="replace")
        return "/tapset/" not in self.name and "probe X.Y.Z" not in text


def command_text(command, stap, options):
    path = shlex.quote(str(stap.parent))
    return f"PATH={path}:$PATH; stap() {{ command stap {options} \"$@\"; }}; {command}"


def holds(example, stap, release):
    """Whether the authors expect it to work here. Whether it translates is no condition."""
    if not example.support or re.search(r"-p ?[1-5]", example.support):
        return True
    return translate(example, stap, release, example.support)[0]


def translate(example, stap, release, command=None):
    # The command may name files that it makes.
    with tempfile.TemporaryDirectory() as scratch:
        # An address of the running kernel means nothing to another one.
        shell = command_text(re.sub(r"0x`[^`]*`", "0x1000", command or example.check), stap, f"-r {release}")
        try:
            done = subprocess.run(["bash", "-c", shell], cwd=example.directory, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=SECONDS, env={**os.environ, "TMPDIR": scratch})
        except subprocess.TimeoutExpired:
            return False, f"not done after {SECONDS} s"
    return done.returncode == 0, done.stderr.decode(errors="replace")


def first_error(text):
    lines = [line for line in text.splitlines() if not line.startswith("WARNING")]
    for line in lines:
        found = re.search(r"(?:semantic error|parse error|ERROR): (.*)", line)
        if found and "while resolving probe point" not in line:
            return found[1][:160]
    return lines[0][:160] if lines else "no message"


def run_in_guest(examples, stap, release, directory, cpus):
    """Runs every installcheck in one guest (or several, when one dies). {name: (status, output)}."""
    results = {}
    left = list(examples)
    with tempfile.TemporaryDirectory() as share:
        while left:
            script = ["cd /", f"share={shlex.quote(share)}", "ip link set lo up 2>/dev/null",
                      "modprobe -C /dev/null dummy numdummies=0 2>/dev/null"]
            for number, example in enumerate(left):
                shell = command_text(example.installcheck, stap, "")
                script += [f"echo {number} >$share/at", f"cd {shlex.quote(str(example.directory))}",
                           f"timeout -k 5 {SECONDS} bash -c {shlex.quote(shell)} >/tmp/out 2>/tmp/err </dev/null; status=$?",
                           f"head -c 20000 /tmp/out >$share/{number}.out; head -c 20000 /tmp/err >$share/{number}.err; echo $status >$share/{number}.status"]
            (pathlib.Path(share) / "run").write_text("\n".join(script) + "\n")
            log = pathlib.Path(share) / "log"
            with open(log, "wb") as out:
                subprocess.run([str(stap.parent / "stap-vm"), "-k", release, "--cpus", str(cpus), "--memory", "3000", "--share", share, "--timeout",
                                str(SECONDS * (len(left) + 1)), "--", "bash", f"{share}/run"], stdout=out, stderr=out, stdin=subprocess.DEVNULL)
            done = 0
            for number, example in enumerate(left):
                status = pathlib.Path(share) / f"{number}.status"
                if not status.exists():
                    results[example.name] = (123, "", "the guest died:\n" + log.read_text(errors="replace")[-3000:])
                    break
                out = (pathlib.Path(share) / f"{number}.out").read_text(errors="replace")
                err = (pathlib.Path(share) / f"{number}.err").read_text(errors="replace")
                results[example.name] = (int(status.read_text()), out, err)
                done = number
                status.unlink()
            told = log.read_text(errors="replace")
            if told.strip():
                print("# the guest said: " + told.strip()[:2000].replace("\n", "\n# "))
            left = left[done + 1:] if example.name in results and results[example.name][0] != 123 else left[number + 1:]
    return results


def read_table(path):
    rows = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            script, translates, runs, pattern, reason = (line.split("\t") + ["-"] * 5)[:5]
            rows[script] = (translates, runs, pattern, reason)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--release", default=os.uname().release)
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent.parent / "build/bin")
    parser.add_argument("--guest", action="store_true", help="also run them in a guest")
    parser.add_argument("--only", default="", help="scripts whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cpus", type=int, default=2, help="of the guest")
    parser.add_argument("--write", metavar="DIR", type=pathlib.Path, help="keep the messages and outputs here")
    parser.add_argument("directory", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    stap = options.bin.resolve() / "stap"
    with tempfile.TemporaryDirectory() as unpacked:
        root = options.directory or tar_of_debian(unpacked)
        if not root:
            print("# the package systemtap-doc cannot be downloaded")
            return 77
        return compare(options, stap, root.resolve())


def compare(options, stap, root):
    table = read_table(HERE / "examples.tsv")
    examples = [e for e in (Example(p, root) for p in sorted(root.rglob("*.stp"))) if e.is_script()]
    wanted = [e for e in examples if options.only in e.name]
    wrong, translated, unsupported = [], [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for example, (good, text) in zip(wanted, pool.map(lambda e: translate(e, stap, options.release), wanted)):
            keep(options, example, "p4", text)
            if good:
                translated.append(example)
            expected, _, _, reason = table.get(example.name, ("yes", "none", "-", "-"))
            supported = good and expected != "condition" or holds(example, stap, options.release)
            unsupported += not good and not supported
            if good != (supported if expected == "condition" else expected == "yes"):
                wrong.append(example.name)
                print(f"# {example.name}: " + ("translates" if good else first_error(text)) + (f", though: {reason}" if good else ""))
    print(f"# {len(wanted)} scripts, {len(translated)} translate; {unsupported} are not for this machine, as their authors tell")
    if not options.only and len(translated) < LEAST_SHARE * (len(wanted) - unsupported):
        wrong.append("all")
        print(f"# fewer than {LEAST_SHARE:.0%}")
    if options.guest:
        runnable = [e for e in translated if e.installcheck and table.get(e.name, ("", "yes"))[1] == "yes"]
        good = 0
        for name, (status, out, err) in run_in_guest(runnable, stap, options.release, root, options.cpus).items():
            example = next(e for e in runnable if e.name == name)
            keep(options, example, "out", f"$ {example.installcheck}\n{out}\n--- stderr, status {status}\n{err}")
            pattern = table.get(name, ("", "", "-"))[2]
            why = ""
            if status != 0:
                why = f"status {status}"
            elif TROUBLE.search(err):
                why = TROUBLE.search(err)[0]
            elif pattern != "-" and not re.search(pattern, out, re.M):
                why = f"no line matches {pattern}"
            if why:
                wrong.append(name)
                print(f"# {name}: {why}\n#   " + "\n#   ".join((err or out).strip().splitlines()[:4]))
            else:
                good += 1
        print(f"# {len(runnable)} run in the guest, {good} to their end with plausible output")
    return 1 if wrong else 0


def keep(options, example, what, text):
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / (example.name.replace("/", "_") + "." + what)).write_text(text)


if __name__ == "__main__":
    sys.exit(main())
