# SPDX-License-Identifier: GPL-2.0-or-later
"""_python.py SAMPLES: writes its own stack to standard output SAMPLES times, from as many shapes of calls as there are below.

Each write is "OUTERMOST;...;INNERMOST" as py_stack() has it, by the interpreter's own frames; the probe sees the same write.
"""
import asyncio
import os
import random
import sys
import threading

OUT = 1
choose = random.Random(12)
left = 0


def stack():
    names = []
    frame = sys._getframe(1)
    while frame:
        # Before 3.11 code has no qualified name.
        name = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
        file = os.path.basename(frame.f_code.co_filename)
        line = "" if file == "long.py" else f":{frame.f_lineno}"
        names.append(f"{name} ({file}{line})".replace(";", ":"))
        frame = frame.f_back
    return ";".join(reversed(names)).encode()


def report():
    os.write(OUT, stack())


def leaf():
    global left
    if left > 0:
        left -= 1
        report()


def deep(depth):
    if depth:
        deep(depth - 1)
    else:
        leaf()


def generated(depth):
    for i in range(2):
        if depth:
            yield from generated(depth - 1)
        leaf()
        yield i


class Größe:
    def __init__(self):
        leaf()

    @property
    def 長さ(self):
        leaf()
        return 3

    def __lt__(self, other):
        leaf()
        return False

    @classmethod
    def made(cls):
        return cls().长()

    def 长(self):
        [leaf() for _ in range(2)]
        return {key: leaf() for key in (1,
                                       2)}


async def task(depth):
    if depth:
        await task(depth - 1)
    await asyncio.sleep(0)
    leaf()


async def tasks():
    await asyncio.gather(*(task(depth) for depth in range(4)))


def caught():
    try:
        raise ValueError
    except ValueError:
        leaf()
    finally:
        leaf()


def many_lines():
    a = 1

    # A gap of more lines than fit into a short delta.









    b = (a +
         (lambda: leaf() or 2)() +
         a)



    return b


# A function with more of a table of lines than is read: only its own line is left out, of all frames around it.
def beside_long(depth):
    long = {"leaf": leaf}
    exec(compile("def long():\n" + "    x = 1\n" * 40000 + "    leaf()\n", "long.py", "exec"), long)
    long["long"]() if depth == 0 else beside_long(depth - 1)


SHAPES = [
    lambda: beside_long(choose.randrange(3)),
    lambda: deep(choose.randrange(60)),
    lambda: list(generated(choose.randrange(5))),
    lambda: Größe().長さ,
    Größe.made,
    lambda: sorted([Größe(), Größe()]),
    lambda: asyncio.run(tasks()),
    caught,
    many_lines,
    lambda: list(map(lambda _: leaf(), range(3))),
    lambda: exec("leaf();\n\nleaf()", globals()),
    lambda: exec(compile("def semi():\n    leaf()\nsemi()", "a;b.py", "exec"), globals()),
    lambda: max([1, 2], key=lambda _: leaf() or 0),
]


def worker():
    while left > 0:
        choose.choice(SHAPES)()


def main():
    global left
    left = int(sys.argv[1])
    # Another thread in the way, which holds the lock of the interpreter at times.
    stop = threading.Event()
    idle = threading.Thread(target=stop.wait, daemon=True)
    idle.start()
    worker()
    left = 20
    threads = [threading.Thread(target=worker) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    idle.join()


main()
