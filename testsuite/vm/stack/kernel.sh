# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel stacks against /proc/PID/stack of the same place, symbols against /proc/kallsyms.
#: scripts: _stack.stp _returned.stp
#: host: cc -O2 -static -o blocked "$AREA/_blocked.c"
pipe=$(mktemp -u /run/pipe.XXXXXX)
mkfifo "$pipe"
exec 3<>"$pipe"
# "[<0>] pipe_read+0x1f5/0x3b0" -> "pipe_read"
names() { sed 's/^\[<0>\] //; s/+.*//'; }
start() { # MODULE
    "$STAPRUN" "$1.ko" >out &
    staprun=$!
    eventually 20 grep -q ready out
    ./blocked <"$pipe" &
    blocked=$!
    # The system call is in the kernel until there is something to read.
    sleeping() { grep -q pipe_read /proc/$blocked/stack; }
    eventually 10 sleeping
    reader=$(grep -o -m 1 '[a-z_]*pipe_read' /proc/$blocked/stack)
    expected=$(sed -n "/$reader/,\$p" /proc/$blocked/stack | names)
    printf x >&3
    wait $blocked
}
finish() {
    kill -INT $staprun
    wait $staprun
    cat out
}

start _returned
cp "$(command -v cat)" returns
./returns /etc/hostname >/dev/null
eventually 10 grep -q '^return' out
finish
is_equal 'the function that returns, and its caller' "$(grep -A 1 '^return ' out | sed 's/^return //; s/+.*//' | tr '\n' ' ')" 'vfs_read ksys_read '
below=$(sed -n '/^below$/,/^below end$/p' out | sed '1d;$d' | names)
# Kernels that do not see through a probed return end a stack there; %pB, which is for return addresses, names the function before it.
case $below in
*kretprobe_trampoline)
    below=$(echo "$below" | sed '$d')
    expected=$(echo "$expected" | sed '$d')
    ;;
esac
is_equal 'names below a probed return' "$below" "$expected"

start _stack
eventually 10 grep -q '^kprobe' out
finish
is_equal 'stack of begin' "$(head -n 1 out)" 'begin []'
is_equal 'names by print_backtrace' "$(sed -n 's/^ 0x[0-9a-f]* : \([^+]*\)+.*\[kernel\]$/\1/p' out | sed '$d')" "$expected"
address() { awk -v name="$1" '$3 == name { print $1; exit }' /proc/kallsyms; }
entry=0x$(address "$reader")
first=$(sed -n 's/^hex \([^ ]*\) .*/\1/p' out)
# A function may begin with ENDBR64, which probes are behind.
into=$((first - entry))
[ $into -eq 0 ] || [ $into -eq 4 ] || fail "the first address is $first, the function's $entry"
is_equal 'addresses by backtrace' "$(sed -n 's/^hex //p' out | tr ' ' '\n' | grep -c .)" "$(echo "$expected" | grep -c .)"
is_equal 'two callers' "$(sed -n 's/^two //p' out)" "$(sed -n 's/^hex \([^ ]* [^ ]* \).*/\1/p' out)"
is_equal 'no callers' "$(sed -n 's/^none //p' out)" '[]'
is_equal 'names by sprint_backtrace' "$(sed -n '/^text$/,/^text end$/p' out | sed '1d;$d; s/+0x[0-9a-f]* \[kernel\]$//')" "$expected"
is_equal 'frames' "$(sed -n 's/^frames //p' out)" "$(sed -n 's/^two \([^ ]* [^ ]*\) /\1 0/p' out)"
is_equal 'caller' "$(sed -n 's/^caller //p' out)" "$(echo "$expected" | sed -n 2p) $(sed -n 's/^two [^ ]* \([^ ]*\) /\1/p' out)"
is_equal 'syms' "$(sed -n 's/^syms //p' out)" "$reader+0x$into [kernel]"
grep -Eq "^ $first : $reader\+0x$into/0x[0-9a-f]+ \[kernel\]$" out || fail 'print_stack'
grep -Eq "^data $reader\+0x$((into + 1))/0x[0-9a-f]+ \[kernel\]$" out || fail 'symdata'
is_equal 'modules' "$(sed -n 's/^mod //p' out)" 'kernel <unknown> 0x1000'
grep -Eq "^kprobe __put_user_4\\+0x[04] \\[kernel\\]$" out || fail 'at a kprobe'
grep -A 1 '^kprobe' out | grep -q '^[a-z0-9_.]*+0x[0-9a-f]* \[kernel\]$' || fail 'the caller at a kprobe'
