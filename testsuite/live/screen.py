#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""screen.py STAP_LIVE: stap-live in a tmux, with keys, other sizes, signals and messages; and its blocks without a terminal. The records
come from this program (--feed), which knows what the screen has to show. Ends with status 77 where there is no tmux."""
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = int(subprocess.run([f"{HERE}/../patience.sh"], check=True, capture_output=True, text=True).stdout)
EVIL = "evil\x1b[2J\x1b]0;owned\x07"
NAMES = ["alpha", "beta", EVIL, "日本語", "a-name-that-is-longer-than-a-column-may-be-on-a-narrow-screen"]


class Feed:
    """Writes records as staprun does. Reads orders from a pipe with a name: a line is a number of a refresh, or "end"."""

    def __init__(self):
        self.time = 10**12
        self.first = True

    def record(self, kind, /, **members):
        print(json.dumps({"v": 1, "type": kind, "t": self.time, **members}), flush=True)

    def refresh(self, number):
        self.time += 10**9
        self.record("row", table="globals", row={"name": "reads", "keys": 1})
        for i, name in enumerate(NAMES):
            self.record("value", name="reads", keys=[name], value=number * 100 + i)
        for i in range(40):
            self.record("row", table="disks", row={"disk": f"sd{i:02d}", "p99": 1000 * i})
        self.record("print", text=f"round {number} \x1b[31m\n")
        self.time += 10**8
        self.record("refresh", hits=number * 1000, lost_hits=number // 5, errors=0, lost_records=0)

    def obey(self):
        """As staprun: a line "stop" ends the session."""
        with os.fdopen(int(os.environ["TAPIR_LIVE"]), encoding="ascii") as lines:
            for line in lines:
                if line == "stop\n":
                    os._exit(5)

    def run(self, orders):
        if "TAPIR_LIVE" in os.environ:
            threading.Thread(target=self.obey, daemon=True).start()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.record("meta", tapir="0", module="m", command="stap test.stp", kernel="k", machine="m", host="h", started=1, probes=1)
        self.record("table", name="disks", columns=[{"name": "disk", "unit": "name"}, {"name": "p99", "unit": "us"}])
        with open(orders, encoding="ascii") as lines:
            for line in lines:
                word = line.strip()
                if word == "end":
                    break
                if word == "complain":
                    print("WARNING: careful\x1b[2J", file=sys.stderr, flush=True)
                elif word == "die":
                    os.kill(os.getpid(), signal.SIGKILL)
                else:
                    self.refresh(int(word))
        self.record("end", status=3)
        sys.exit(3)


class MonitorFeed(Feed):
    """A session with --monitor: each refresh, 10 hits of each of three probes that are on. `n` counts those since its last reset."""

    POINTS = ["syscall.read", 'process("/usr/lib/x86_64-linux-gnu/libc.so.6").function("malloc")', "timer.s(1)"]

    def __init__(self):
        super().__init__()
        self.hits, self.on, self.n, self.lock = [0, 0, 0], [True] * 3, 0, threading.Lock()

    def probe(self, i):
        row = {"point": self.POINTS[i], "where": f"test.stp:{i + 1}:7", "attached": 1, "hits": self.hits[i], "handled": self.hits[i],
               "skipped": {"reentry": 0, "lock": i, "stack": 0, "state": 0}, "missed": 0, "errors": 0,
               "time_ns": {"hits": 4, "min": 200, "max": 9000, "sum": 8000}, "overhead_ns": 1}
        self.record("probe", index=i, on=self.on[i], probe=row)

    def refresh(self, number):
        with self.lock:
            self.time += 10**9
            for i in range(3):
                self.hits[i] += 10 * self.on[i]
                self.n += 10 * self.on[i]
                self.probe(i)
            self.record("global", name="reads", kind="array", resets=True, of="number", keys=1, elements=len(NAMES), most=2048)
            self.record("global", name="n", kind="number", resets=True)
            self.record("row", table="globals", row={"name": "n", "keys": 0})
            self.record("value", name="n", value=self.n)
            super().refresh(number)

    def obey(self):
        with os.fdopen(int(os.environ["TAPIR_LIVE"]), encoding="ascii") as lines:
            for line in lines:
                words = line.split()
                if words == ["stop"]:
                    os._exit(5)
                with self.lock:
                    for i in range(3) if words[0] == "probes" else [int(words[1])] if words[0] == "probe" else []:
                        self.on[i] = words[-1] == "on"
                        self.probe(i)
                    if words == ["reset", "n"]:
                        self.n = 0
                        self.record("reset", name="n")
                        self.record("print", text="n is reset\n")


class Screen:
    feed = "--feed"

    def __init__(self, stap_live, columns=80, rows=24):
        self.directory = tempfile.TemporaryDirectory()
        self.server = ["tmux", "-u", "-S", f"{self.directory.name}/socket", "-f", "/dev/null"]
        self.orders_path = f"{self.directory.name}/orders"
        os.mkfifo(self.orders_path)
        feed = [sys.executable, os.path.abspath(__file__), self.feed, self.orders_path]
        command = shlex.join([stap_live, "--refresh=1", "--title=test.stp", "--"] + feed)
        # A shell with jobs, as users have it: it takes the terminal back when stap-live stops or ends.
        self.run("new-session", "-d", "-x", str(columns), "-y", str(rows), "env PS1='$ ' bash --norc --noprofile -i")
        self.tell(f"clear; echo before; {command}; echo status $?; stty -a | grep -o ' echo '\n")
        self.orders = open(self.orders_path, "w", encoding="ascii")

    def run(self, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": "/", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        done = subprocess.run(self.server + list(words), check=True, env=environment, capture_output=True, text=True)
        return done.stdout

    def tell(self, text):
        self.run("send-keys", "-l", text)

    def key(self, *names):
        self.run("send-keys", *names)

    def order(self, word):
        print(word, file=self.orders, flush=True)

    def lines(self):
        return self.run("capture-pane", "-p").split("\n")

    def wait(self, what, condition):
        end = time.monotonic() + 20 * PATIENCE
        while not condition(self.lines()):
            if time.monotonic() > end:
                text = "\n".join(self.lines())
                self.end()
                sys.exit(f"not ok - {what}; the screen is\n{text}")
            time.sleep(0.05)
        print(f"ok - {what}", flush=True)

    def has(self, what, *texts):
        self.wait(what, lambda lines: all(any(text in line for line in lines) for text in texts))

    def had(self, what, *texts):
        """The same, with what has left the screen at its top."""
        self.wait(what, lambda lines: all(text in self.run("capture-pane", "-p", "-S", "-500") for text in texts))

    def lacks(self, what, text):
        self.wait(what, lambda lines: not any(text in line for line in lines))

    def pid(self, name):
        return int(subprocess.run(["pgrep", "-f", "-n", f"{name}.*{self.orders_path}"], check=True, capture_output=True).stdout)

    def end(self):
        self.orders.close()
        self.run("kill-server")
        self.directory.cleanup()


def is_left(screen, what, status):
    """The shell has the terminal again, with what stood there before."""
    screen.had(what, "before\n", f"status {status}", " echo")


def test_keys(stap_live):
    screen = Screen(stap_live)
    screen.order(1)
    screen.has("the head", "test.stp", "1,000 hits, none lost", "every 1 s")
    screen.has("names are harmless", "evil\\x1b[2J\\x1b]0;owned\\x07", "日本語", "round 1 \\x1b[31m")
    screen.lacks("the alternate screen", "before")
    screen.order(2)
    screen.has("numbers change", "2,000 hits", " 202")
    screen.order("complain")
    screen.has("a message is in sight", "WARNING: careful\\x1b[2J", "q leave")
    screen.run("resize-window", "-x", "60", "-y", "20")
    screen.has("20 rows of 60 columns", "WARNING: careful", "q leave", "test.stp", "2,000 hits", "sd00")
    screen.wait("each line fits", lambda lines: len(lines) == 21 and all(len(line) <= 60 for line in lines))
    screen.key("Tab", "Tab")
    screen.lacks("a key takes the message away", "careful")
    screen.key("s", "s")
    screen.has("sorted by p99", "↓P99", "sd39")
    screen.key("/")
    screen.tell("sd1")
    screen.key("Enter")
    screen.lacks("the filter", "sd39")
    screen.has("what it leaves", "sd19", "sd13")
    screen.key("Escape", "p")
    screen.order(5)
    screen.has("a pause", "PAUSED", " 202", "1 hits lost")
    screen.key("p")
    screen.has("the end of the pause", " 502")
    screen.run("resize-window", "-x", "100", "-y", "30")
    screen.has("a larger screen", "a-name-that-is-longer-than-a-column-may-be-on-a-narrow-screen", " 504")
    screen.key("?")
    screen.has("the sheet of keys", "pause the view")
    screen.key("?")
    screen.key("C-z")
    screen.has("SIGTSTP gives the terminal back", "Stopped")
    screen.tell("fg\n")
    screen.has("SIGCONT draws all anew", "test.stp", " 502", "q leave")
    screen.order(6)
    screen.has("and goes on", " 602")
    screen.order("end")
    screen.lacks("the end leaves the screen", "q leave")
    # The shell went on behind stap-live when that stopped.
    screen.tell("echo status $?; stty -a | grep -o ' echo '\n")
    is_left(screen, "the end leaves the terminal as it was", 3)
    screen.had("the last table and messages stay", " 602", "WARNING: careful")
    screen.end()


class MonitorScreen(Screen):
    feed = "--feed-monitor"

    def row(self, what, name, *texts):
        """The line with the name has all the texts."""
        self.wait(what, lambda lines: any(name in line and all(text in line for text in texts) for line in lines))


def test_monitor(stap_live):
    screen = MonitorScreen(stap_live)
    screen.order(1)
    screen.has("probes and globals", "kernel k", "probes: 3; times of 12 of 30 hits", "PROBE", "GLOBAL", "q leave", "round 1")
    screen.row("a probe", "syscall.read", " on ", " 10 ", "2 µs", "200 ns", "9 µs")
    screen.row("an array", "reads", "array of numbers", " 5 ", "alpha=100")
    screen.has("more about it", "test.stp:1:7: 1 place, no hit skipped, 4 timed")
    screen.key("t")
    screen.row("the chosen probe is off", "syscall.read", " off ", " 10 ")
    screen.order(2)
    screen.row("the others are hit", "timer.s", " on ", " 20 ")
    screen.row("it is not", "syscall.read", " off ", " 10 ")
    screen.row("the count goes on", "n        number", " 50")
    screen.key("Enter")
    screen.row("it is on", "syscall.read", " on ")
    screen.order(3)
    screen.row("and goes on", "syscall.read", " on ", " 20 ")
    screen.key("Tab", "Down", "r")
    screen.has("the session resets it", "n is reset")
    screen.order(4)
    screen.row("a reset global counts anew", "n        number", " 30")
    screen.run("resize-window", "-x", "60", "-y", "20")
    screen.row("60 columns have hits", "malloc", "…", " on ", " 40 ")
    screen.wait("each line fits", lambda lines: len(lines) == 21 and all(len(line) <= 60 for line in lines))
    screen.key("BTab", "s", "s", "s", "s", "i")
    screen.has("sorted by hits", "↑HITS")
    screen.wait("the least are the first", lambda lines: "syscall.read" in lines[4])
    screen.key("/")
    screen.tell("timer")
    screen.key("Enter")
    screen.lacks("the filter", "syscall.read")
    screen.key("T")
    screen.row("all are off", "timer.s", " off ")
    screen.key("Escape")
    screen.row("all others, too", "syscall.read", " off ")
    screen.key("p")
    screen.order(5)
    screen.has("a pause", "PAUSED")
    screen.key("p", "2")
    screen.has("tables", "READS", "sd00", " 500", "evil\\x1b[2J")
    screen.lacks("no probes on that page", "syscall.read")
    screen.key("v")
    screen.has("output", "round 1 ", "round 5 ")
    screen.key("1", "?")
    screen.has("the sheet of keys", "switch all probes off", "reset the global")
    screen.key("?")
    screen.run("resize-window", "-x", "100", "-y", "30")
    screen.has("a larger screen", "malloc", "globals: 2")
    screen.key("q")
    is_left(screen, "q leaves the terminal as it was", 5)
    screen.had("the last tables stay", "probes: 3, 3 off", "round 5")
    screen.end()


def test_deaths(stap_live):
    for what, act, status in (
            ("q", lambda s: s.key("q"), 5),
            ("Control-C", lambda s: s.key("C-c"), 5),
            ("SIGTERM", lambda s: os.kill(s.pid("stap-live"), signal.SIGTERM), 143),
            ("the death of the command", lambda s: s.order("die"), 137)):
        screen = Screen(stap_live)
        screen.order(1)
        screen.has(f"a screen before {what}", "q leave", " 102")
        act(screen)
        is_left(screen, f"{what} leaves the terminal as it was", status)
        screen.had(f"{what} leaves the last table", " 102")
        screen.end()


def test_blocks(stap_live):
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/records"
        with open(path, "w", encoding="utf-8") as file:
            with open(f"{directory}/orders", "w", encoding="ascii") as orders:
                orders.write("1\n2\nend\n")
            subprocess.run([sys.executable, os.path.abspath(__file__), "--feed", f"{directory}/orders"], stdout=file, check=False)
        environment = os.environ | {"LC_ALL": "C.UTF-8"}
        text = subprocess.run([stap_live, "--top", "2", path], check=True, capture_output=True, env=environment).stdout.decode()
        plain = subprocess.run([stap_live, "--plain", "--top", "2", path], check=True, capture_output=True, env=environment)
        assert plain.stdout.decode() == text, "--plain differs"
        empty = subprocess.run([stap_live, "/dev/null"], capture_output=True, env=environment)
        assert empty.returncode == 1 and empty.stderr == b"stap-live: '/dev/null' has no records\n", empty
        with open(path, "rb") as records:
            piped = subprocess.run([stap_live, "--top=2", "-"], stdin=records, check=True, capture_output=True, env=environment)
        assert piped.stdout.decode() == text, "a file and a pipe differ"
    blocks = [line for line in text.split("\n") if line.startswith("-- ")]
    assert blocks == ["-- 1.1 s, 1,000 hits, none lost", "-- 2.2 s, 2,000 hits, none lost"], text
    assert "\x1b[2J" not in text, text
    assert text.count("3 more rows\n") == 2 and text.count("38 more rows\n") == 2, text
    print("ok - blocks of text where there is no terminal")


def main():
    if sys.argv[1] == "--feed":
        Feed().run(sys.argv[2])
    if sys.argv[1] == "--feed-monitor":
        MonitorFeed().run(sys.argv[2])
    stap_live = os.path.abspath(sys.argv[1])
    test_blocks(stap_live)
    if not shutil.which("tmux"):
        print("skipped: there is no tmux")
        sys.exit(77)
    test_keys(stap_live)
    test_monitor(stap_live)
    test_deaths(stap_live)


if __name__ == "__main__":
    main()
