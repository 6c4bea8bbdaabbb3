# SPDX-License-Identifier: GPL-2.0-or-later
# gdb_stacks PID...: of each thread of these processes the addresses of the frames that are on the stack (inlined functions have
# none), "PID THREAD 0x1 0x2 ...", sorted. One GDB for all: it takes longest to start. Without the debug information of system
# libraries, which takes long to read and adds nothing to the frames that count here.
gdb_stacks() {
    cat >stacks.gdb <<'PYTHON'
set backtrace past-main on
set backtrace past-entry on
python
import os
for pid in map(int, os.environ['PIDS'].split()):
  gdb.execute('attach %d' % pid)
  for t in gdb.selected_inferior().threads():
    t.switch()
    f = gdb.newest_frame()
    pcs = []
    while f is not None:
      if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME): pcs.append('0x%x' % f.pc())
      f = f.older()
    print('stack %d %d %s' % (pid, t.ptid[1], ' '.join(pcs)))
  gdb.execute('detach')
  # The next process may run another program.
  gdb.execute('file')
end
PYTHON
    PIDS="$*" HOME=/tmp DEBUGINFOD_URLS= gdb -nx -batch -iex 'set debug-file-directory' -x stacks.gdb 2>gdb.log | sed -n 's/^stack //p' | sort
}
