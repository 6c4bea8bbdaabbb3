# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs at a terminal of a given size, and a terminal that tells in which column it is."""
import fcntl
import os
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios

ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8",
               "TERM": "xterm-256color"}


def at_terminal(words, width, directory=None, **environment):
    """What `words` print at a terminal of `width` columns, and their exit status. Colours are off unless asked for."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=directory,
                               env=ENVIRONMENT | {"NO_COLOR": "1"} | environment, start_new_session=True)
    os.close(theirs)
    said = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the last one has closed the terminal
            break
        if not data:
            break
        said += data
    os.close(ours)
    return said.decode(), process.wait()


def columns_in_tmux(texts, width):
    """For each text the column in which the cursor of a tmux of `width` columns stands after it, or None if it wrapped.
    None altogether where there is no tmux."""
    with tempfile.TemporaryDirectory() as directory:
        server = ["tmux", "-u", "-S", f"{directory}/socket", "-f", "/dev/null"]
        with open(f"{directory}/texts", "w", encoding="utf-8") as file:
            file.write("\n".join(texts))
        # The server lives until it is ended: what it was told before is not lost then.
        command = shlex.join([sys.executable, os.path.abspath(__file__), directory]) + "; exec sleep 100000"
        try:
            subprocess.run(server + ["new-session", "-d", "-x", str(width), "-y", "24", command], check=True,
                           env=ENVIRONMENT)
        except FileNotFoundError:
            return None
        try:
            subprocess.run(server + ["wait-for", "done"], check=True, env=ENVIRONMENT)
            with open(f"{directory}/columns", encoding="ascii") as file:
                return [None if line == "wrapped\n" else int(line) for line in file]
        finally:
            subprocess.run(server + ["kill-server"], check=True, env=ENVIRONMENT)


def measure(directory):
    """Within tmux: writes each text in the first row, asks where the cursor is, and notes the answers."""
    import tty
    with open(f"{directory}/texts", encoding="utf-8") as file:
        texts = file.read().split("\n")
    terminal = os.open("/dev/tty", os.O_RDWR)
    tty.setraw(terminal)
    with open(f"{directory}/columns", "w", encoding="ascii") as out:
        for text in texts:
            os.write(terminal, b"\033[H\033[2J" + text.encode() + b"\033[6n")
            answer = b""
            while not answer.endswith(b"R"):
                answer += os.read(terminal, 1)
            row, column = answer[answer.rindex(b"[") + 1:-1].split(b";")
            print("wrapped" if row != b"1" else int(column) - 1, file=out)
    subprocess.run(["tmux", "wait-for", "-S", "done"], check=True)


if __name__ == "__main__":
    measure(sys.argv[1])
