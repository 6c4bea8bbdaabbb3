# SPDX-License-Identifier: GPL-2.0-or-later
#: host: printf 'obj-m := _jumps.o\nCFLAGS_REMOVE__jumps.o = $(CC_FLAGS_FTRACE)\n' > Makefile && cp "$AREA/_jumps.c" . && "$AREA/../make-module.sh" "$TREE" "$PWD"
#: scripts: _jumped.stp
#: script-args: "$W/_jumps.ko"
#: timeout: 200
#: long: many sessions beside a module that goes
#: records: also
# Kprobes that the kernel has made jumps, in a module that goes: while a session runs (ROUNDS times, default 10), right after one
# and while one ends. Every hit is counted, and nothing stays in the kernel's table, where it would keep others out.
#: requires: config CONFIG_OPTPROBES=y
list=/sys/kernel/debug/kprobes/list
[ -e $list ] || mount -t debugfs none /sys/kernel/debug
call() { cat /sys/module/_jumps/parameters/call >/dev/null; }
jumps() { grep -q ' _jumps \[OPTIMIZED\]' $list; }
session() { # LEDGER
    "$STAPRUN" _jumped.ko --ledger="$1" >out 2>err &
    pid=$!
    eventually 20 is_armed _jumped
}
over() {
    status=0
    wait $pid || status=$?
    cat out err
    is_equal 'status' $status 0
    is_equal 'messages' "$(cat err)" ''
}
attached() { grep -o '"attached": [0-9]*' "$1" | sed 's/.* //' | paste -sd' '; }
is_empty() { [ ! -s $list ]; }
has_rounds() { [ "$(grep -c ^calls out)" = "$1" ]; }

rounds=${ROUNDS:-10}
insmod ./_jumps.ko
session first.json
eventually 20 jumps
kill -INT $pid
# The code is as it was when the session has ended: the module goes at once.
wait $pid
rmmod _jumps
eventually 20 is_empty
wanted=$(attached first.json)
case " $wanted " in *' 0 '*) fail "places are missing: $wanted" ;; esac

session follow.json
expected=
for ((i = 0; i < rounds; i++)); do
    insmod ./_jumps.ko
    [ $((i % 2)) = 0 ] || eventually 20 jumps
    call
    eventually 20 has_rounds $((i + 1))
    rmmod _jumps
    expected+='calls 21 returns 21'$'\n'
done
[ "$(grep -c GONE $list)" = 0 ] || fail "kprobes of a module that is gone: $(cat $list)"
# The session ends while the module goes.
insmod ./_jumps.ko
eventually 20 jumps
kill -INT $pid
rmmod _jumps
over
is_equal 'hits' "$(sed -n 's/ statements .*//p' out)" "${expected%$'\n'}"
is_equal 'numbers of statements' "$(sed -n 's/.*statements //p' out | sort -u | wc -l)" 1
[ "$(sed -n 's/.*statements //p' out | head -n 1)" -ge 14 ] || fail 'no statement was hit'

# Nothing is in the way of another one.
eventually 20 is_empty
insmod ./_jumps.ko
session again.json
eventually 20 jumps
call
eventually 20 grep -q '^calls 21 returns 21' out
kill -INT $pid
over
rmmod _jumps
is_equal 'places attached' "$(attached again.json)" "$wanted"
