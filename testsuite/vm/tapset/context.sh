# SPDX-License-Identifier: GPL-2.0-or-later
# The user and the namespaces of a script, kinds of hits, registers, and effects of guru mode on a process and on the machine's logs.
#: stap: -g
#: scripts: _context.stp
#: host: cc -O2 -g -static -o context "$AREA/_context.c"
#: allow-log: tapir-test
#: allow-log: Call Trace
ftrace=/sys/kernel/tracing
[ -e $ftrace/trace ] || mount -t tracefs none $ftrace
"$STAPRUN" _context.ko -r 3:ssh://root@web:2222 --duration 0.1 >elsewhere
is_equal 'started from elsewhere' "$(sed -n 's/^session //p' elsewhere)" '1 1 3 [ssh://root@web:2222] 1'
TZ=XXX-5:30 "$STAPRUN" _context.ko -c ./context >out
cat out
value() { sed -n "s/^$1 //p" out; }
is_equal 'session' "$(value session)" '1 1 -1 [] 1'
is_equal 'zone' "$(value zone)" 'XXX -19800'
value load | grep -Eq '^[0-9]+\.[0-9]{2} [0-9]+\.[0-9]{2} [0-9]+\.[0-9]{2}$' || fail 'load'
is_equal 'kinds' "$(value begin),$(value trace),$(value return),$(value user | tr '\n' ,)$(value process),$(value timer)" \
    'begin_end 0 0,kernel_tracepoint 0,kretprobe 1,uprobe 0 1,uretprobe 1,utrace,timer'
is_equal 'entry' "$(value entry)" 'kprobe 0 1'
is_equal 'the same by task' "$(value same)" '1 1 1 1'
is_equal 'mine' "$(value mine)" 1
is_configured CONFIG_KASAN && size=32768 || size=16384
is_equal 'stack' "$(value stack)" "$size 1 1"
is_equal 'page' "$(value page)" '4096 1'
[ "$(value delay)" -ge 20500 ] || fail 'delay'
is_equal 'raised' "$(value signals)" 1
grep -q '^raise: there is no such signal$' out || fail 'a signal that is none'
is_equal 'what was written' "$(value box)" '-7 -8 1048576 -9 77 after, and all aft'
grep -q 'tapir-test in ftrace' $ftrace/trace || fail 'ftrace'
dmesg -r | grep -q '^<3>.*tapir-test of [0-9]*$' || fail 'printk'
dmesg -r | grep -q '^<4>.*tapir-test default' || fail 'printk of the default level'
dmesg | grep -q 'Call Trace:' || fail 'dump_stack'
# The program's own registers: its code is below 16 MB.
grep -Eq '^RIP: 00000000004[0-9a-f]{5} RSP: 00007f[0-9a-f]{10} ' out || fail 'registers of a program'
grep -Eq '^RIP: (ffffffff[0-9a-f]{8}|\(not saved\)) ' out || fail 'registers of the kernel'
# In namespaces of their own, whose first process is the shell.
unshare -pmf --mount-proc setsid -w bash -c '"$STAPRUN" _context.ko -c ./context >inner; echo "shell $$"' >shell 2>&1 || { cat inner shell; fail 'inner staprun'; }
cat inner shell
set -- $(sed -n 's/^ids //p' inner)
[ "$1" -lt 20 ] && [ "$1" = "$2" ] && [ "$3" -lt "$1" ] || fail "IDs in the namespace: $*"
is_equal 'users' "$(sed -n 's/^users //p' inner)" '0 0 0 0'
is_equal 'a process outside' "$(sed -n 's/^other //p' inner)" 'cannot resolve id in namespace'
