# SPDX-License-Identifier: GPL-2.0-or-later
# Spends its time in functions in C that it calls from Python, and prints for each how long, in milliseconds of processor time.
import json
import re
import time

TEXT = "one two three 12 forty-five " * 400
PATTERN = re.compile(r"(\w+) (\d+)")
DATA = json.dumps([{"name": "n%d" % i, "sizes": list(range(20))} for i in range(480)])
NUMBERS = [(i * 7919) % 10007 for i in range(4000)]


def by_regex():
    for _ in range(8):
        PATTERN.sub("-", TEXT)


def by_json():
    json.loads(DATA)


def by_sorting():
    for _ in range(8):
        sorted(NUMBERS)


def by_itself():
    total = 0
    for number in NUMBERS:
        total += number % 3
    return total


spent = {by_regex: 0.0, by_json: 0.0, by_sorting: 0.0, by_itself: 0.0}
while sum(spent.values()) < 3:
    for function in spent:
        begun = time.process_time()
        while time.process_time() - begun < 0.02:
            function()
        spent[function] += time.process_time() - begun
for function, seconds in spent.items():
    print(function.__name__, round(seconds * 1000))
