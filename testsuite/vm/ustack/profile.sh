# SPDX-License-Identifier: GPL-2.0-or-later
# Samples of a program that computes deep in its stack: at least 99 of 100 have exactly the return addresses that GDB finds.
#: long: samples of many stacks
#: scripts: _profile.stp
#: requires: program gdb
#: timeout: 300
. "$AREA/_gdb.sh"
pids=
computes() { [ "$(cut -d ' ' -f 14 /proc/$pid/stat)" -ge 50 ]; }
for mode in shapes plugin altstack; do
    "$BIN/unwind_program" spin $mode &
    pid=$!
    # It is where it stays once it computes.
    eventually 60 computes
    "$STAPRUN" -x $pid --ledger ledger.$mode.json _profile.ko >out.$mode 2>err || { cat out.$mode err; fail "$mode"; }
    # It stays where it is, and out of the way.
    kill -STOP $pid
    pids="${pids:+$pids }$pid"
done
gdb_stacks $pids >gdb.out
kill -KILL $pids
for mode in shapes plugin altstack; do
    cp out.$mode out
    expected=$(sed -n "s/^${pids%% *} [0-9]* [^ ]* //p" gdb.out)
    pids=${pids#* }
    cat out
    read -r _ count samples stack <<<"$(grep '^stack' out | head -n 1)"
    echo "$mode: $count of $samples"
    is_equal "return addresses, $mode" "$stack" "$expected"
    [ "$samples" -ge 100 ] || fail "only $samples samples"
    [ $((count * 100)) -ge $((samples * 99)) ] || fail "$mode: $count of $samples samples"
    is_equal 'after the end' "$(grep '^none' out)" 'none []'
    is_equal 'frames as text' "$(sed -n '/^begin stack/,/^end stack/p' out | sed '1d;$d' | sed 's/^ \(0x[0-9a-f]*\).*/\1/' | sed 1d | paste -sd ' ')" "$expected"
    is_equal 'frames in brief' "$(sed -n '/^begin brief/,/^end brief/p' out | sed '1d;$d')" \
        "$(sed -n '/^begin stack/,/^end stack/p' out | sed '1d;$d; s/.* : //; s,/.*,,; s/^ //; s/ \[.*//')"
    # Names, of the innermost frame and the outermost ones.
    sed -n '/^begin stack/,/^end stack/p' out >text
    sed -n 2p text | grep -Eq ' : burn\+0x[0-9a-f]+/0x[0-9a-f]+ \[/.*/unwind_program\]$' || fail 'the innermost frame'
    grep -Eq ' : main\+0x[0-9a-f]+/0x[0-9a-f]+ \[/.*/unwind_program\]$' text || fail 'main'
    tail -n 2 text | grep -Eq ' : _start\+0x[0-9a-f]+/0x[0-9a-f]+ \[/.*/unwind_program\]$' || fail 'the outermost frame'
    grep -Eq '^data [a-z_]+\+0x[0-9a-f]+/0x[0-9a-f]+ \[/.*/unwind_program\] /.*/unwind_program [a-z_]+$' out || fail 'usymdata'
    grep -Eq '^text burn\+0x[0-9a-f]+ \[/.*/unwind_program\]$' out || fail 'sprint_usyms'
    is_equal 'same' "$(sed -n 's/^same //p' out)" '1 0'
    is_equal 'nothing' "$(sed -n 's/^nothing //p' out)" '<unknown> 0x8'
    case $mode in plugin) grep -q 'libunwind_plugin.so\]$' text || fail 'the library' ;; esac
    case $mode in altstack) grep -q 'libc.so.6\]$' text || fail 'the C library' ;; esac
    grep -q '"user_stacks": {"complete": [1-9]' ledger.$mode.json || fail 'the ledger'
done
