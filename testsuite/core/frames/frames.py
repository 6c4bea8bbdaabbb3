# SPDX-License-Identifier: GPL-2.0-or-later
# For GDB: the variables of all frames of a core's threads, a line "TID FRAME DEPTH NAME VALUE" each. FRAME counts functions with
# code, DEPTH those that were inlined within. VALUE is a number as unsigned 64 bits, the bits of floating point, or one of
#   ?        it is optimized out, or its register is lost
#   fault    its memory cannot be read
#   whole    a structure, an array or a union; its members and elements follow, as NAME.MEMBER, NAME[INDEX] and so on
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


def parts_of(value, path):
    """Numbers within a structure or array, as lines.py names them: members of base classes are those of the class."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        if kind.target().strip_typedefs().sizeof == 1 and kind.target().strip_typedefs().code in NUMBERS:
            return  # text
        for index in range(low, min(high, low + 31) + 1):
            yield from parts_of(value[index], "%s[%d]" % (path, index - low))
    elif kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        for field in kind.fields():
            if not hasattr(field, "bitpos") or field.artificial or (field.name or "").startswith("_vptr"):
                continue
            named = field.name and not field.is_base_class
            yield from parts_of(value[field], path + "." + field.name if named else path)
    elif kind.code not in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        text = text_of(value)
        if text != "whole":
            yield path, text


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
            text = text_of(value)
            yield symbol.name, text
            if text == "whole":
                kind = value.type.strip_typedefs()
                refers = kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
                try:
                    yield from list(parts_of(value.referenced_value() if refers else value, symbol.name))
                except gdb.error:
                    continue
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
