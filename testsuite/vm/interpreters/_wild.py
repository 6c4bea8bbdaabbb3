# SPDX-License-Identifier: GPL-2.0-or-later
"""_wild.py SAMPLES: CPython 3.11 writes wild words into its own frames, and then the frame that is innermost to standard output."""
import ctypes
import os
import sys


def word(address):
    return ctypes.c_uint64.from_address(address)


def frame_of(frame):
    """_PyInterpreterFrame of a frame object."""
    return word(id(frame) + 24).value


# A circle of frames that have not begun: the instruction of each is before its code's.
hidden = ctypes.create_string_buffer(4096)
base = ctypes.addressof(hidden)
for at in range(0, 2048, 128):
    word(base + at + 48).value = base + (at + 128) % 2048
    word(base + at + 32).value = base + 3000

WILD = [
    lambda frame: frame,  # a circle of one
    lambda frame: 0xdead00000000,
    lambda frame: 8,
    lambda frame: 0xffff800000000000,
    lambda frame: base,
    lambda frame: id(WILD),
]


def wild(make):
    frame = frame_of(sys._getframe())
    says = b"wild (_wild.py:41)"
    previous = word(frame + 48)
    kept = previous.value
    previous.value = make(frame)
    try:
        os.write(1, says)
    finally:
        previous.value = kept


for i in range(int(sys.argv[1])):
    wild(WILD[i % len(WILD)])
