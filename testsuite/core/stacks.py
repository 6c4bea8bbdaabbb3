# SPDX-License-Identifier: GPL-2.0-or-later
# For GDB: a line "TID ADDRESS ADDRESS ..." for each thread of a core, as far out as the frames of functions go.
import gdb

gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")

for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.ptid[1]):
    thread.switch()
    frame = gdb.newest_frame()
    places = []
    while frame is not None and len(places) < 200:
        if frame.type() != gdb.INLINE_FRAME:
            places.append("0x%x" % frame.pc())
        frame = frame.older()
    print(thread.ptid[1], " ".join(places))
