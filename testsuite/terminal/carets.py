#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Carets stand below the token that a message is about, in any surroundings, and no line is wider than the terminal.

    carets.py STAP [COUNT [SEED]]     makes COUNT sources (1200), each with one mistake at a token that is known

Sources have long lines, tabs, characters of two columns and of none, emoji of several characters, control characters and
bytes that are not UTF-8, before, within and behind the token; tokens stand at the begin and end of lines and files. tmux
tells in which column the token begins and ends, and how wide each line is.
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from terminal import ENVIRONMENT, at_terminal, columns_in_tmux

BEGIN, END = "Q7", "Q8"  # in each token, and nowhere else
PLAIN = "abcxyz 0123456789+-.,;:!?'()[]<>=_ "
WIDE = "漢字かなカナ한국어、。ＡＢ"
EMOJI = ["👍", "👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️", "☃", "🧪", "#️⃣"]
MARKS = ["é", "n\u0303", "a\u0300\u0301", "\u0301", "ก็", "नि", "\u200b", "\u202e", "\ufeff", "\u00ad", "\u3164", "각"]
CONTROLS = ["\x01", "\x1b[31m", "\x7f", "\x08", "\u0085", "\x0c"]
RAW = ["\udcff", "\udcc3", "\udce6\udcbc", "\udcf0\udc9f\udc91"]  # bytes that are not UTF-8


def noise(rng, most):
    """Text without an end of line, of a comment or of a literal."""
    pools = rng.sample([list(PLAIN), ["\t", " "], list(WIDE), EMOJI, MARKS, CONTROLS, RAW, list("plain words ")],
                       rng.randint(1, 4))
    return "".join(rng.choice(rng.choice(pools)) for _ in range(rng.randint(0, most)))


def size(rng):
    return rng.choice([0, 5, 30, 90, 250, 800, rng.choice([20, 9000])])


def source(rng):
    """A text, and which of its tokens the message is about: None is the end of the file."""
    lines = "".join(f"/* {noise(rng, 40)} */\n" for _ in range(rng.choice([0, 0, 1, 3, 120])))
    before = rng.choice(["", f"/*{noise(rng, size(rng))}*/", "\t" * rng.randint(1, 5), " " * rng.randint(1, 60)])
    behind = rng.choice(["", "\n", f" /*{noise(rng, size(rng))}*/", f"#{noise(rng, size(rng))}\n", "\r\n", " \t "])
    kind = rng.randrange(4)
    if kind == 0:
        return f"{lines}probe begin {{ {before}", None
    token = {1: f"{BEGIN}{'n' * rng.choice([0, 3, 200])}{END}", 2: f'"{BEGIN}{noise(rng, size(rng))}{END}"',
             3: f"{BEGIN}_{END}"}[kind]
    return f"{lines}{before}{token}{behind}", token


class Shown:
    """The window of a message: the line of source and the carets."""
    def __init__(self, said):
        self.lines = said.rstrip("\n").split("\n")
        window = [i for i, line in enumerate(self.lines) if re.fullmatch(r" *\| *\^+", line)]
        self.source, self.carets = (self.lines[window[0] - 1], self.lines[window[0]]) if window else ("", "")
        gutter = self.carets.find("|") + 2
        self.gutter, self.text = self.source[:gutter], self.source[gutter:]

    def begin(self):
        return self.carets.find("^")

    def end(self):
        return len(self.carets)


def wanted(shown, token):
    """What is before the token on the screen, and what is before its end."""
    if token is None:
        return shown.source, None
    quoted = token.startswith('"')
    at = shown.source.find(('"' if quoted else "") + BEGIN)
    end = shown.source.find(END + ('"' if quoted else ""), at)
    if at < 0:
        return None, None
    if end >= 0:
        return shown.source[:at], shown.source[:end + len(END) + quoted]
    # Only a gap may hide the token's end.
    return shown.source[:at], shown.source.removesuffix("…") if shown.source.endswith("…") else None


def main():
    stap, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    runs, texts = [], []
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "s.stp"
        for number in range(count):
            text, token = source(rng)
            width = rng.choice([20, 21, 30, 40, 79, 80, 100, 120, 200, 400])
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
            words = [stap, "-p1", "s.stp"]
            if number % 20 == 0:
                said, status = at_terminal(words, width, directory)
            else:
                done = subprocess.run(words, capture_output=True, cwd=directory, check=False,
                                      env=ENVIRONMENT | {"TAPIR_MESSAGES": "terminal", "COLUMNS": str(width)})
                said, status = done.stderr.decode(), done.returncode
            shown = Shown(said)
            begin, end = wanted(shown, token)
            runs.append((text, token, width, status, shown, begin, end, len(texts)))
            texts += [line.replace("\r", "") for line in shown.lines] + [begin or "", end or ""]
    columns = columns_in_tmux(texts, 420)
    if columns is None:
        print("1..0 # SKIP there is no tmux")
        return 77
    bad = 0
    for text, token, width, status, shown, begin, end, first in runs:
        many = len(shown.lines)
        widths, (at, till) = columns[first:first + many], columns[first + many:first + many + 2]
        wrong = []
        if status != 1:
            wrong.append(f"exit status {status}")
        if any(column is None or column > width for column in widths):
            wrong.append(f"lines of {widths} columns")
        if begin is None or at != shown.begin():
            wrong.append(f"the token begins in column {at}, the caret stands in {shown.begin()}")
        if token is None and shown.end() != shown.begin() + 1:
            wrong.append("more than one caret for the end of the file")
        if token is not None and (end is None or till != shown.end()):
            wrong.append(f"the token ends in column {till}, the carets in {shown.end()}")
        if wrong:
            bad += 1
            print(f"# width {width}, {text!r:.300}:", *wrong, *shown.lines, sep="\n#  ")
    print(f"{'not ok' if bad else 'ok'} 1 - {count} sources (seed {seed}), {bad} with wrong carets or widths\n1..1")
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
