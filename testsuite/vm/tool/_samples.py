#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tools of _samples.list on their loads.

    _samples.py translate STAP RELEASE    makes tool_NAME.ko of each, here
    _samples.py run STAPRUN MODULES       runs each beside its load; NAME.txt, NAME.err, NAME.status and NAME.ledger are left in MODULES
    _samples.py names                     prints the names
    _samples.py words                     prints "NAME<tab>WORDS" lines

The words of a tool become options of staprun: its own NAME=VALUE, with durations in the unit that the option has."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
LINES = 30
FIRST_PORT = 9000


def samples():
    text = pathlib.Path(__file__).with_name("_samples.list").read_text()
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, words, load = (part.strip() for part in line.split("|", 2))
            yield name, words, load


def in_unit(value, unit):
    number, of = re.fullmatch(r"([0-9.]+)([a-z]*)", value).groups()
    return str(int(float(number) * NANOSECONDS[of or unit] / NANOSECONDS[unit]))


def loader_words(options, words):
    """The words for staprun, and those that have to be given when the module is made."""
    given, built = [], []
    rest = shlex.split(words)
    by_word = {}
    for option in options:
        by_word["--" + option["name"]] = option
        if "letter" in option:
            by_word["-" + option["letter"]] = option
    while rest:
        word = rest.pop(0)
        if word == "-T":
            given += ["--duration", rest.pop(0).removesuffix("s")]
        elif word == "-c":
            given += ["-c", rest.pop(0)]
        elif word not in by_word:
            built.append(word)
        elif by_word[word]["rebuilds"]:
            built += [word] if by_word[word]["type"] == "flag" else [word, rest.pop(0)]
        else:
            option = by_word[word]
            value = "1" if option["type"] == "flag" else rest.pop(0)
            given.append(option["global"] + "=" + (in_unit(value, option["unit"]) if option["type"] == "duration" else value))
    return given, built


def translate(stap, release):
    def one(sample):
        name, words, _ = sample
        about = subprocess.run([stap, "run", name, "--describe"], check=True, capture_output=True, text=True).stdout
        given, built = loader_words(json.loads(about)["options"], words)
        pathlib.Path(name + ".words").write_text(json.dumps(given))
        made = subprocess.run([stap, "-w", "-p4", "-r", release, "-m", "tool_" + name.replace("-", "_"), "run", name, *built],
                              capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"{name}: {made.stderr}")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, samples()))


def shown(text):
    """What fits on a page."""
    lines = text.rstrip("\n").split("\n")
    return "\n".join(lines[:LINES] + (["..."] if len(lines) > LINES else [])) + "\n"


def wait_for_load(load):
    """Until a load that says when it is ready, by a file of this name, has done so; others are given a moment."""
    time.sleep(0.5)
    while "ready" in load.split() and not os.path.exists("ready"):
        time.sleep(0.1)


def run(staprun, modules):
    for number, (name, words, load) in enumerate(samples()):
        port = FIRST_PORT + number * 100
        given = json.loads((modules / (name + ".words")).read_text())
        # Each round has ports of its own: those of the last one wait for their end.
        again = f"port={port}; while :; do {load}; port=$((port + 2)); done"
        work = subprocess.Popen(["bash", "-c", again], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        wait_for_load(load)
        session = subprocess.run([staprun, "--ledger", str(modules / (name + ".ledger")), str(modules / f"tool_{name.replace('-', '_')}.ko"), *given],
                                 capture_output=True, text=True)
        os.killpg(work.pid, signal.SIGKILL)
        work.wait()
        (modules / (name + ".txt")).write_text(f"$ stap run {name} {words}".rstrip() + "\n" + shown(session.stdout))
        (modules / (name + ".err")).write_text(session.stderr)
        (modules / (name + ".status")).write_text(str(session.returncode))


def main():
    action, *words = sys.argv[1:]
    if action == "translate":
        translate(*words)
    elif action == "run":
        run(words[0], pathlib.Path(words[1]))
    elif action == "words":
        for name, words, _ in samples():
            print(f"{name}\t{words}")
    else:
        print("\n".join(name for name, _, _ in samples()))


main()
