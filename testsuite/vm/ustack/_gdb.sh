# SPDX-License-Identifier: GPL-2.0-or-later
# gdb_stack PID: addresses of the frames that are on the stack (inlined functions have none), "0x1 0x2 ...".
# Without the debug information of system libraries, which takes longest to read and adds nothing to the frames that count here.
gdb_stack() {
    cat >frames.gdb <<'PYTHON'
set backtrace past-main on
set backtrace past-entry on
python
f = gdb.newest_frame()
while f is not None:
  if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME): print('pc 0x%x' % f.pc())
  f = f.older()
end
PYTHON
    HOME=/tmp DEBUGINFOD_URLS= gdb -nx -batch -iex 'set debug-file-directory' -p "$1" -x frames.gdb 2>gdb.log | sed -n 's/^pc //p' | tr '\n' ' '
}

# gdb_threads PID: the same for each thread, "thread NUMBER 0x1 0x2 ...", sorted.
gdb_threads() {
    cat >threads.gdb <<'PYTHON'
set backtrace past-main on
set backtrace past-entry on
python
for t in gdb.selected_inferior().threads():
  t.switch()
  f = gdb.newest_frame()
  pcs = []
  while f is not None:
    if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME): pcs.append('0x%x' % f.pc())
    f = f.older()
  print('thread %d %s' % (t.ptid[1], ' '.join(pcs)))
end
PYTHON
    HOME=/tmp DEBUGINFOD_URLS= gdb -nx -batch -iex 'set debug-file-directory' -p "$1" -x threads.gdb 2>gdb.log | grep '^thread [0-9]' | sort
}
