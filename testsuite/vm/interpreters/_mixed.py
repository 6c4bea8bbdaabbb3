# SPDX-License-Identifier: GPL-2.0-or-later
"""Python that the C library calls, which Python has called."""
import ctypes
import os

libc = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def inner():
    os.write(1, b"here\n")


def compare(first, second):
    inner()
    return 0


def outer():
    libc.qsort((ctypes.c_int * 2)(1, 2), 2, 4, COMPARE(compare))


outer()
