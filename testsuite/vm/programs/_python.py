# SPDX-License-Identifier: GPL-2.0-or-later
"""_python.py gc|exceptions|lock: what Python counts itself, a line for each row."""
import gc
import os
import sys
import threading
import time


def collects():
    gc.set_threshold(50, 5, 2)
    kept = [[] for _ in range(3000)]
    for i in range(3):
        for _ in range(20):
            circle = [kept]
            circle.append(circle)
        gc.collect(i)
    gc.disable()
    for number, counts in enumerate(gc.get_stats()):
        if counts["collections"]:
            print(number, counts["collections"], counts["collected"] + counts["uncollectable"])


class Hungry(Exception):
    pass


def complain(what):
    raise what


def raises():
    for what, times in ((ValueError, 7), (Hungry, 5)):
        for _ in range(times):
            try:
                complain(what)
            except what:
                pass
    for i in range(11):
        try:
            {}[i]
        except KeyError:
            pass
    line = complain.__code__.co_firstlineno + 1
    own = raises.__code__.co_firstlineno + 9
    print(f"7 ValueError complain (_python.py:{line})\n5 Hungry complain (_python.py:{line})\n11 KeyError raises (_python.py:{own})")


def waits():
    """Threads that have nothing to wait for but each other."""
    lost = []

    def spin():
        began, ran = time.monotonic(), time.thread_time()
        while time.thread_time() - ran < 0.3:
            for _ in range(1000):
                pass
        lost.append((threading.get_native_id(), int((time.monotonic() - began - (time.thread_time() - ran)) * 1e6)))

    threads = [threading.Thread(target=spin) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for thread, us in sorted(lost):
        print(thread, us)


{"gc": collects, "exceptions": raises, "lock": waits}[sys.argv[1]]()
sys.stdout.flush()
os._exit(0)
