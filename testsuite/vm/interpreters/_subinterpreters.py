# SPDX-License-Identifier: GPL-2.0-or-later
"""_subinterpreters.py SAMPLES: writes its own stack, as _python.py does, in interpreters that it has made and outside of them.

Before CPython 3.13 a thread has a state of each interpreter that it has made, besides that of the one that it runs.
"""
import os
import sys
import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

SAY = """
import os
import sys
def stack():
    names = []
    frame = sys._getframe(1)
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        names.append(f"{name} ({os.path.basename(code.co_filename)}:{frame.f_lineno})")
        frame = frame.f_back
    return ";".join(reversed(names)).encode()
def say():
    os.write(1, stack())
def deep(depth):
    if depth:
        deep(depth - 1)
    else:
        say()
"""
exec(compile(SAY, __file__, "exec"))


def run(interpreter, text):
    interpreters.run_string(interpreter, SAY + text)


def turn(made, depth):
    deep(depth)
    run(made[depth % len(made)], f"deep({depth})\n")
    deep(depth)
    # Another one within it.
    if depth % 5 == 0:
        run(made[0], "say()\n")
        say()


def main():
    samples = int(sys.argv[1])
    made = [interpreters.create() for _ in range(3)]
    say()
    for i in range(samples // 4):
        turn(made, i % 10)

    def other():
        mine = [interpreters.create()]
        for i in range(samples // 8):
            turn(mine, i % 7)

    threads = [threading.Thread(target=other) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
