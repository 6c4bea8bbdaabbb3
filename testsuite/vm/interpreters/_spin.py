# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls in a loop, for samples at any instruction of the interpreter."""
import sys


def leaf(n):
    return n + 1


def spin(n):
    while n < 300000:
        n = leaf(n)


spin(0)
sys.exit(0)
