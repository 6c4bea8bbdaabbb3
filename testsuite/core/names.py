# SPDX-License-Identifier: GPL-2.0-or-later
# For GDB: a line "NUMBER FUNCTION FILE:LINE" for each frame whose line is known.
import gdb
import os

gdb.execute("set backtrace past-main on")
frame = gdb.newest_frame()
number = 0
while frame is not None:
    if frame.type() != gdb.INLINE_FRAME:
        line = frame.find_sal()
        if line.symtab is not None:
            print(number, frame.name(), "%s:%d" % (os.path.basename(line.symtab.filename), line.line))
        number += 1
    frame = frame.older()
