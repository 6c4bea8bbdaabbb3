# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's view of a process that sleeps is the one that a program has of it which stops it: byte for byte. Pages that no process has
# read are read, and the process has to do nothing for it.
#: host: cc -g -pthread -Wl,--build-id -o looked "$AREA/_looked.c"
#: host: yes 'some text of a file' | head -c 1048575 >text; printf '\0' >>text
#: host: ./looked text sleep >/dev/null & pid=$!; "$STAP" -p4 -r "$R" -x $pid -m look "$AREA/_look.stp" >/dev/null && "$STAP" -p4 --runtime=process -x $pid --snapshot -m tool "$AREA/_look.stp" >/dev/null; status=$?; kill $pid; exit $status
#: timeout: 180
./looked text sleep >ready & pid=$!
eventually 30 grep -q ready ready
sleeps() { [ "$(grep -l '^State:.S' /proc/$pid/task/*/status | wc -l)" = 4 ]; }
eventually 30 sleeps
"$STAPRUN" look.ko -x $pid >live 2>errors
is_equal 'what the kernel says of it' "$(cat errors)" ''
grep -q '^1000 nodes, sum [1-9]' live
grep -q 'some text of a file' live
grep -qE 'variable 1002, at [a-z_]+$' live
grep -q 'wait_here+0x' live
grep -q 'wait_here+0x.* at .*_looked.c:' live
is_equal 'how it ends' "$(tail -n 1 live | cut -d, -f2)" ' 1000 sizes'
./tool -x $pid --snapshot >still 2>stopped
diff still live >differences || fail "a program that stops it sees: $(cat differences)"
kill $pid
