# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares answers, and looks whether a refusal's reason can be true by what GDB knows."""
import re

# Values that stap may refuse although GDB reads them: (name in the figures, the message, what GDB must say of the variable's place).
# A reason that is in no row, or that GDB contradicts, is a difference.
REASONS = [
    ("known to callers only", r"only its value when the function was entered|callers do not have it|register of the caller is lost|"
     r"this call came from a place of which nothing is known",
     lambda q: re.search("entry_value|parameter_ref", q.where)),
    ("floating point", r"floating point|vector register|bytes cannot be read|location uses an operation",
     lambda q: q.kind == "float" or re.search(r"\$[xy]mm|DW_OP_.*(convert|regval|deref_type|const_type|reinterpret)", q.where)),
    ("spread over several places", r"spread over|pieces of sizes|in registers cannot be read|no address",
     lambda q: re.search("piece|implicit", q.where) or "->" in q.expr or "[" in q.expr),
    ("a pointer to what is nowhere", r"the pointer itself is optimized out", lambda q: "implicit_pointer" in q.where or "opcode" in q.where),
    ("a part is optimized out", r"part of it is optimized out", lambda q: "piece" in q.where),
    ("computed from registers", r"computed from a register that may have changed|not computed it yet|only at a probe in the function",
     lambda q: "[" in q.expr or "fbreg" in q.where or "frame base" in q.where or "DW_OP" in q.where),
    ("lost when a goroutine's stack grows", r"Go loses it when the stack grows", lambda q: q.program.variant.compiler == "go"),
    ("frame is not known", r"frame of this place is not known|frame base is not known", lambda q: q.stop["kind"] == "instruction"),
    ("a bit-field over nine bytes", r"bit-field over nine bytes", lambda q: q.kind == "bit-field"),
    ("division of 64 bits", r"division of 64 bits", lambda q: re.search("DW_OP_(div|mod)", q.where)),
]

# Whole programs that the installed libdw cannot read: no figure of a level.
UNREADABLE = "this version of libdw does not read"


def same(theirs, mine, kind):
    if theirs == mine:
        return True
    # A script's numbers have 64 bits; a float's are 32, either way extended.
    return kind == "float" and len(theirs) <= 8 and mine[-8:].lstrip("0") == theirs.lstrip("0")


def judge(question):
    """("agree", "refused", "unreadable", "unchecked" or "differ"; what of)."""
    theirs, mine = question.theirs, question.normal()
    if same(theirs, mine, question.kind):
        return "agree", theirs if theirs in ("absent", "fault") else "value"
    if theirs in ("absent", "fault") and mine in ("absent", "fault"):
        return "agree", theirs
    # GDB takes what no piece is for as 0.
    if mine == "absent" and theirs == "0" and "part of it is optimized out" in question.reason and "piece" in question.where:
        return "agree", "absent"
    # stap asks all callers, GDB the one: it cannot confirm what it does not find.
    if theirs == "absent" and re.search("entry_value|parameter_ref", question.where) and re.fullmatch("[PA]?[0-9a-f]*", mine):
        return "unchecked", "known to callers only"
    # Location lists of frame bases (DWARF 2) begin where GDB does not look for them at an entry.
    if theirs == "absent" and "Could not find the frame base" in question.where:
        return "unchecked", "no frame base for GDB"
    # LLVM describes the address of an object with a copy constructor as the object, which GDB believes: accept/parameters.py.
    if question.program.variant.compiler == "clang++" and "->" in question.expr and \
            re.match(r"everywhere: .*frame base reg \$rsp offset 0\+[1-9]", question.where):
        return "unchecked", "an address on the stack, perhaps"
    # Optimized code does not tell whether a variable on its stack has been set yet.
    if question.stop["kind"] == "instruction" and question.program.variant.level != "O0" and \
            re.match(r"everywhere: .*frame base", question.where):
        return "unchecked", "not set yet, perhaps"
    # GDB reads all pieces where stap reads one.
    if theirs == "fault" and "piece" in question.where:
        return "unchecked", "in pieces"
    if question.is_moved and theirs in ("absent", "fault"):
        return "unchecked", "known behind the prologue"
    if UNREADABLE in question.reason and question.program.variant.form in ("dwp", "types"):
        return "unreadable", question.program.variant.form
    if mine in ("absent", "fault"):
        for name, message, is_true in REASONS:
            if re.search(message, question.reason):
                return ("refused", name) if is_true(question) else ("differ", "the reason is not true")
        return "differ", "refused without a reason that may be true"
    return "differ", "value"


class Figures:
    """Counts, by the compilers' level."""

    def __init__(self):
        self.counts = {}

    def add(self, level, verdict, what):
        row = self.counts.setdefault(level, {})
        for key in (verdict, verdict + " " + what):
            row[key] = row.get(key, 0) + 1

    def total(self, verdict):
        return sum(row.get(verdict, 0) for row in self.counts.values())

    def lines(self):
        found = []
        for level, row in sorted(self.counts.items()):
            if not any(key in row for key in ("agree", "refused", "differ")):
                continue
            readable = row.get("agree value", 0) + row.get("refused", 0) + row.get("differ", 0)
            reasons = ", ".join("%d %s" % (count, key[len("refused "):]) for key, count in sorted(row.items()) if key.startswith("refused "))
            found.append("# %s: %d values agree, %d absent to both, %d differ; %d of %d refused (%.1f %%)%s" %
                         (level, row.get("agree value", 0), row.get("agree absent", 0) + row.get("agree fault", 0), row.get("differ", 0),
                          row.get("refused", 0), readable, 100 * row.get("refused", 0) / max(readable, 1), ": " + reasons if reasons else ""))
        return found
