#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""recompress.py FORMAT FROM TO: a dump in the format of kdump, with its pages compressed by lzo, snappy or zstd instead of zlib.

Needs the shared libraries that libkdumpfile needs. QEMU writes what it was built for, which is zlib in Debian.
"""
import ctypes
import struct
import sys
import zlib

PAGE = 4096
FLAGS = {"zlib": 1, "lzo": 2, "snappy": 4, "zstd": 0x20}


def compressor(kind):
    out = ctypes.create_string_buffer(2 * PAGE)
    size = ctypes.c_size_t(2 * PAGE)

    def lzo(page):
        library.lzo1x_1_compress(page, ctypes.c_size_t(PAGE), out, ctypes.byref(size), work)
        return out.raw[: size.value]

    def snappy(page):
        size.value = 2 * PAGE
        library.snappy_compress(page, ctypes.c_size_t(PAGE), out, ctypes.byref(size))
        return out.raw[: size.value]

    def zstd(page):
        length = library.ZSTD_compress(out, ctypes.c_size_t(2 * PAGE), page, ctypes.c_size_t(PAGE), 1)
        return out.raw[:length]

    name, function = {"lzo": ("liblzo2.so.2", lzo), "snappy": ("libsnappy.so.1", snappy), "zstd": ("libzstd.so.1", zstd)}[kind]
    library = ctypes.CDLL(name)
    work = ctypes.create_string_buffer(1 << 17)
    if kind == "zstd":
        library.ZSTD_compress.restype = ctypes.c_size_t
    return function


def main():
    kind, source, target = sys.argv[1:]
    compress = compressor(kind)
    with open(source, "rb") as file:
        data = file.read()
    sub_blocks, bitmap_blocks = struct.unpack_from("<iI", data, 432)
    start = (1 + sub_blocks + bitmap_blocks) * PAGE
    second = data[(1 + sub_blocks) * PAGE + bitmap_blocks // 2 * PAGE : start]
    count = sum(byte.bit_count() for byte in second)
    entries, pages, kept = [], bytearray(), {}
    for i in range(count):
        place, size, flags, more = struct.unpack_from("<qIIQ", data, start + i * 24)
        page = data[place : place + size]
        if flags & FLAGS["zlib"]:
            page = zlib.decompress(page)
        if page not in kept:  # pages of zeroes are there once
            packed = compress(page)
            kept[page] = (start + count * 24 + len(pages), len(packed), FLAGS[kind])
            pages += packed
        entries.append(struct.pack("<qIIQ", *kept[page], more))
    # The places that the front names stay where they are: the notes are in the front, or are taken along.
    front = bytearray(data[:start])
    behind = start + count * 24 + len(pages)
    extra = bytearray()
    for at in (32, 48):
        place, size = struct.unpack_from("<QQ", front, PAGE + at)
        if place >= start:
            struct.pack_into("<Q", front, PAGE + at, behind + len(extra))
            extra += data[place : place + size]
    with open(target, "wb") as file:
        file.write(bytes(front) + b"".join(entries) + bytes(pages) + bytes(extra))


main()
