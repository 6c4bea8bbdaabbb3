#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Typical mistakes, as users type them, and the whole of what they are told.

    mistakes.py STAP RELEASE WORK [TEXT...]     only those whose titles contain one of the texts
    mistakes.py --update STAP RELEASE WORK      writes what is said now into the files, for review

mistakes/*.txt hold them, each as

    ### what is wrong
    $ the command, as it is typed; a script that it names is "script.stp"
      the script, indented by two spaces
    => the exit status
    what is printed, standard output and errors together

Commands run in WORK, which gets the programs that they probe. Paths of it, of the programs tested and of modules, the
kernel's release and build-ids are replaced by words in capitals in what is printed.
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

PROGRAM = """\
#include <stdio.h>
/* Probed by mistakes. */
enum state { WAITING, RUNNING };
struct job { enum state state; int weight; char *name; };
int total;
static inline __attribute__((always_inline)) int half(int n) { return n / 2 + total; }
__attribute__((noinline)) int weigh(struct job *job, int factor)
{
    total += half(job->weight) * factor;
    return job->state == RUNNING ? total : 0;
}
int main(void)
{
    struct job job = { RUNNING, 3, "first" };
    printf("%d\\n", weigh(&job, 2));
    return 0;
}
"""


class Mistake:
    def __init__(self, title, lines):
        self.title = title
        self.command = lines[0].removeprefix("$ ")
        end = next(i for i, line in enumerate(lines) if line.startswith("=> "))
        self.script = "".join(line[2:] + "\n" for line in lines[1:end])
        self.status = int(lines[end][3:])
        self.said = "".join(line + "\n" for line in lines[end + 1:])

    def text(self, status, said):
        script = "".join(f"  {line}".rstrip() + "\n" for line in self.script.splitlines())
        return f"### {self.title}\n$ {self.command}\n{script}=> {status}\n{said}"


def read(path):
    mistakes, title, lines = [], None, []
    for line in path.read_text().splitlines() + ["### "]:
        if line.startswith("### "):
            if title:
                mistakes.append(Mistake(title, lines))
            title, lines = line[4:], []
        else:
            lines.append(line)
    return mistakes


def prepare(work):
    (work / "program.c").write_text(PROGRAM)
    (work / "script").write_text("#!/bin/sh\necho hello\n")
    (work / "script").chmod(0o755)
    (work / "folder").mkdir(exist_ok=True)
    compile_ = ["gcc", "-O2", "program.c", "-o"]
    subprocess.run(compile_ + ["program", "-g"], cwd=work, check=True)
    subprocess.run(compile_ + ["nodebug"], cwd=work, check=True)
    subprocess.run(compile_ + ["stripped", "-s"], cwd=work, check=True)


def run(mistake, stap, release, work):
    (work / "script.stp").write_text(mistake.script)
    bin_ = str(pathlib.Path(stap).resolve().parent)
    # For the tested kernel, and not run; but what is run is looked at only where it would be.
    options = "" if re.search(" -[cx] ", mistake.command) else f"-p4 -r '{release}'"
    shell = f"stap() {{ '{bin_}/stap' {options} \"$@\"; }}\n{mistake.command}"
    environment = {**os.environ, "PATH": bin_ + ":" + os.environ["PATH"]}
    done = subprocess.run(["bash", "-c", shell], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    said = done.stdout.replace(bin_ + "/", "").replace(str(work), "WORK").replace(release, "RELEASE")
    said = re.sub(r"\S*/tapsets/", "TAPSETS/", said)
    said = re.sub(r"\S*/stap_[0-9a-f]+\.ko", "MODULE", said)
    said = re.sub(r"/usr/lib/debug/\.build-id/[0-9a-f]{2}/[0-9a-f]{38}\.debug", "/usr/lib/debug/.build-id/BUILD/ID.debug", said)
    return done.returncode, re.sub(r"\b[0-9a-f]{40}\b", "BUILD-ID", said)


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    stap, release, work, *wanted = arguments[update:]
    work = pathlib.Path(work).resolve()
    prepare(work)
    failed = count = 0
    for path in sorted((HERE / "mistakes").glob("*.txt")):
        now = []
        for mistake in read(path):
            if wanted and not any(text in mistake.title for text in wanted):
                now.append(mistake.text(mistake.status, mistake.said))
                continue
            count += 1
            status, said = run(mistake, stap, release, work)
            now.append(mistake.text(status, said))
            if not update and (status, said) != (mistake.status, mistake.said):
                failed += 1
                print(f"{path.name}: {mistake.title}: expected\n{mistake.text(mistake.status, mistake.said)}got\n{now[-1]}")
        if update:
            path.write_text("".join(now))
    print(f"{count} mistakes, {failed} with another message")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
