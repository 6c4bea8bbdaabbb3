# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks stap the questions that GDB has answered: one script, and one boot of a guest, for all programs."""
import os
import re
import subprocess

NO_SIGNALS = "GODEBUG=asyncpreemptoff=1"  # Go's for its goroutines: GDB would count a stop twice
PROLOGUE = 100  # bytes; more than enough
GO_HEAP = range(0xc000000000, 0xc100000000)
STACK = range(0x7ff000000000, 0x800000000000)
READ = 'try { if (@defined(%s)) printf("@@%d %%x\\n", %s) else println("@@%d absent") } ' \
    'catch (why) { printf("@@%d fault %%s\\n", why) }'


class Question:
    """One expression at one stop. `answer` is what stap says of it: hexadecimal digits, "absent", "fault", or why there is none."""

    def __init__(self, number, program, stop, said):
        self.number, self.program, self.stop = number, program, stop
        self.expr, self.theirs, self.kind, self.where = said["expr"], said["value"], said["kind"], said["where"]
        self.answer, self.reason = "no answer", ""
        self.is_moved = False  # stap's place is behind the instructions that set up the frame

    def normal(self):
        """The answer as GDB's are written."""
        if not re.fullmatch("[0-9a-f]+", self.answer):
            return self.answer
        value, base = int(self.answer, 16), self.program.base
        if base is not None and base + self.program.low <= value < base + self.program.high:
            return "P%x" % (value - base)
        return "A" if self.kind == "pointer" and value >= 1 << 16 or value in STACK or value in GO_HEAP else self.answer


def point_of(question):
    stop, path = question.stop, question.program.built.path
    if stop["kind"] == "line":
        return 'process("%s").statement("%s")' % (path, stop["point"])
    if stop["kind"] == "entry":
        return 'process("%s").function(0x%x).call' % (path, stop["pc"])
    return 'process("%s").statement(0x%x)' % (path, stop["pc"])


def stops_of(questions):
    found = {}
    for question in questions:
        found.setdefault(id(question.stop), []).append(question)
    return list(found.values())


class Stap:
    def __init__(self, stap, release, directory):
        self.stap, self.release, self.directory = stap, release, directory

    def write(self, name, questions, body, optional="?"):
        """A script with one line for each question; {number of line: questions}."""
        lines, where = ["global seen"], {}
        for number, group in enumerate(stops_of(questions)):
            stop = group[0].stop
            where[len(lines) + 1] = group
            lines += ["probe %s %s {" % (point_of(group[0]), optional), "    if (++seen[%d] != %d) next" % (number, stop["nth"]),
                      '    printf("##%d %%x\\n", uaddr())' % group[0].number]
            for question in group:
                lines.append("    " + body(question))
                where[len(lines)] = [question]
            lines.append("}")
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        return path, where

    def run(self, *words):
        return subprocess.run([self.stap, "-w", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              universal_newlines=True, errors="replace", check=False)

    @staticmethod
    def complaints(text, where):
        """[(question, message)] of --semantic-keep-going."""
        found = []
        for line, message in re.findall(r"^SEMANTIC_ERROR\t[^\t]*\t(\d+)\t\d+\t[^\t]*\t(.*)$", text, re.M):
            if message == "while resolving probe point":
                continue  # the reason is another message
            found += [(question, message) for question in where.get(int(line), [])]
        return found

    def answers(self, questions, programs):
        """Fills in the questions' answers. Returns what went wrong, or ""."""
        left = list(questions)
        for _ in range(4):
            path, where = self.write("ask.stp", left, lambda q: READ % (q.expr, q.number, q.expr, q.number, q.number))
            command = "; ".join("env -i %s %s" % (NO_SIGNALS, program.built.path) for program in programs)
            done = self.run(*(["--vm=" + self.release] if self.release else []), "--semantic-keep-going", "-D", "MAXACTION=100000",
                            "-D", "MAXERRORS=100", path, "-c", "setarch -R sh -c '%s'" % command)
            complaints = self.complaints(done.stderr, where)
            if not complaints:
                break
            for question, message in complaints:
                question.answer = "error: " + message
            refused = {id(question) for question, _ in complaints}
            left = [question for question in left if id(question) not in refused]
        entries = {path: int(entry, 16) for path, entry in re.findall(r"^ENTRY (\S+) ([0-9a-f]+)$", done.stdout, re.M)}
        for program in programs:
            if program.built.path in entries:
                program.base = entries[program.built.path] - program.entry
        said, why = {}, {}
        for number, answer, text in re.findall(r"^@@(\d+) (\S+) ?(.*)$", done.stdout, re.M):
            said[int(number)], why[int(number)] = answer, text
        places = {int(number): int(address, 16) for number, address in re.findall(r"^##(\d+) ([0-9a-f]+)$", done.stdout, re.M)}
        for group in stops_of(left):
            stop, program = group[0].stop, group[0].program
            place = places.get(group[0].number, 0) - (program.base or 0)
            for question in group:
                question.answer = said.get(question.number, question.answer)
                question.reason = why.get(question.number, "")
                question.is_moved = stop["kind"] == "entry" and stop["pc"] < place < stop["pc"] + PROLOGUE
                if question.answer != "no answer" and place != stop["pc"] and not question.is_moved:
                    question.answer = "another place: 0x%x" % place
        lost = [program.built.path for program in programs if program.base is None]
        return done.stderr[-3000:] if not said else "programs that did not run: " + ", ".join(lost) if lost else ""

    def reasons(self, questions):
        """Asks again for what stap has refused, without @defined: the message is the reason."""
        refused = [question for question in questions
                   if question.answer == "no answer" or question.answer == "absent" and question.theirs != "absent"]
        if not refused:
            return
        path, where = self.write("why.stp", refused, lambda q: "println(%s)" % q.expr, "")
        done = self.run(*(["-r", self.release] if self.release else []), "-p2", "-v", "--semantic-keep-going", path)
        for question, message in self.complaints(done.stderr, where):
            question.reason = question.reason or message
        # The list for programs has no reason that concerns a whole program.
        whole = re.findall(r"^semantic error: (the debug information of (\S+) .*)$", done.stderr, re.M)
        for question in refused:
            question.reason = question.reason or next((text for text, path in whole if path == question.program.built.path), "")
