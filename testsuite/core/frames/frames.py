# SPDX-License-Identifier: GPL-2.0-or-later
# For GDB: the variables of all frames of a core's threads, a line "TID FRAME DEPTH NAME VALUE" each. FRAME counts functions with
# code, DEPTH those that were inlined within. VALUE is a number as unsigned 64 bits, the bits of floating point, or one of
#   ?        it is optimized out, or its register is lost
#   fault    its memory cannot be read
#   whole    a structure, an array or a union
import struct

import gdb

NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_PTR)


def text_of(value):
    try:
        if value.is_optimized_out:
            return "?"
        kind = value.type.strip_typedefs()
        if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return text_of(value.referenced_value())
        if kind.code in NUMBERS and kind.sizeof <= 8:
            value.fetch_lazy()
            return str(int(value) & (1 << 64) - 1)
        if kind.code == gdb.TYPE_CODE_FLT and kind.sizeof in (4, 8):
            value.fetch_lazy()
            bits = struct.pack("<d" if kind.sizeof == 8 else "<f", float(value))
            return str(int.from_bytes(bits, "little"))
        return "whole"
    except gdb.MemoryError:
        return "fault"
    except gdb.error as error:
        said = str(error)
        return "fault" if "Cannot access memory" in said else "?"


def variables(frame):
    try:
        block = frame.block()
    except RuntimeError:
        return
    seen = set()
    while block:
        names = []
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument or symbol.is_constant) and symbol.name and symbol.name not in seen:
                names.append(symbol)
        for symbol in names:
            if symbol.name in seen:
                continue
            seen.add(symbol.name)
            try:
                value = symbol.value(frame)
            except gdb.error as error:
                yield symbol.name, "fault" if "Cannot access memory" in str(error) else "?"
                continue
            yield symbol.name, text_of(value)
        if block.function:
            return
        block = block.superblock


def show(thread):
    number, depth = 0, 0
    frame = gdb.newest_frame()
    while frame is not None and number < 200:
        inlined = frame.type() == gdb.INLINE_FRAME
        if frame.type() in (gdb.NORMAL_FRAME, gdb.INLINE_FRAME):
            for name, value in variables(frame):
                print("%d %d %d %s %s" % (thread.ptid[1], number, depth, name, value))
        if inlined:
            depth += 1
        elif frame.type() != gdb.TAILCALL_FRAME:
            number, depth = number + 1, 0
        frame = frame.older()


gdb.execute("set backtrace past-main off")
for each in sorted(gdb.selected_inferior().threads(), key=lambda t: t.ptid[1]):
    each.switch()
    show(each)
