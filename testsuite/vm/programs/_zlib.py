# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls deflate() and inflate() of zlib, and prints for each: its name, calls, and the bytes that went in and came out."""
import ctypes

Z_SYNC_FLUSH, Z_FINISH = 2, 4


class Stream(ctypes.Structure):
    _fields_ = [("next_in", ctypes.c_char_p), ("avail_in", ctypes.c_uint), ("total_in", ctypes.c_ulong), ("next_out", ctypes.c_void_p),
                ("avail_out", ctypes.c_uint), ("total_out", ctypes.c_ulong), ("rest", ctypes.c_char * 64)]


library = ctypes.CDLL("libz.so.1")
library.zlibVersion.restype = ctypes.c_char_p
counted = {"deflate": [0, 0, 0], "inflate": [0, 0, 0]}


def run(name, pieces):
    stream = Stream()
    arguments = [ctypes.byref(stream)] + ([6] if name == "deflate" else [])
    assert getattr(library, name + "Init_")(*arguments, library.zlibVersion(), ctypes.sizeof(stream)) == 0
    out = b""
    buffer = ctypes.create_string_buffer(50000)
    for number, piece in enumerate(pieces):
        stream.next_in, stream.avail_in = piece, len(piece)
        stream.next_out, stream.avail_out = ctypes.addressof(buffer), len(buffer)
        assert getattr(library, name)(ctypes.byref(stream), Z_FINISH if number == len(pieces) - 1 else Z_SYNC_FLUSH) in (0, 1)
        out += buffer.raw[:len(buffer) - stream.avail_out]
        counted[name][0] += 1
    counted[name][1] += sum(len(piece) for piece in pieces)
    counted[name][2] += len(out)
    assert getattr(library, name + "End")(ctypes.byref(stream)) == 0
    return out


text = [b"%d wrens " % i * 500 for i in range(7)]
packed = run("deflate", text)
assert run("inflate", [packed[at:at + 100] for at in range(0, len(packed), 100)]) == b"".join(text)
for name, (calls, taken, given) in counted.items():
    print(name, calls, taken, given)
