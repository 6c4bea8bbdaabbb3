# SPDX-License-Identifier: GPL-2.0-or-later
# A form's titles are checked by a pattern that tries each way to split a long word, and then stored. At its end the program says how
# much processor time the check took, and all of it: "is_good_title SECONDS", "all SECONDS".
# _culprit_regex.py SECONDS
import json
import re
import sys
import time

TITLE = re.compile(r"^(\w+\s?)*$")


def is_good_title(title):
    return TITLE.match(title) is not None


def store(titles):
    return json.dumps(sorted(titles))


def handle_form(number):
    titles = ["title %d of the form" % i for i in range(number % 20)] + ["a" * 18 + "!"]
    begun = time.process_time()
    good = [title for title in titles if is_good_title(title)]
    checked = time.process_time() - begun
    store(good)
    return checked


def main():
    seconds, number, checked = float(sys.argv[1]), 0, 0.0
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        checked += handle_form(number)
        number += 1
    print("is_good_title %.6f\nall %.6f" % (checked, time.process_time() - begun))


main()
