# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks that change behind frames that do not: recursion, jumps, coroutines, signal stacks, overwritten return addresses. What is kept
# of each, by chains of earlier walks, is what a walk by steps finds, and GDB.
#: host: F="$AREA/../../fixtures/unwind/changing.c"; for p in omit no-omit; do gcc -O2 -g -f$p-frame-pointer -fno-optimize-sibling-calls -o $p "$F" || exit 1; done
#: scripts: _changing.stp
#: script-args: "$W/omit" "$W/no-omit"
#: stap: -DMAXSTRINGLEN=2048
#: requires: program gdb
#: timeout: 300
#: long: GDB reads the stacks of many programs
#: records: also
. "$AREA/_gdb.sh"
# Addresses are the same in all processes of a program: those of a kept stack are of the process that had it first. Walks of the
# first processes may end in files whose tables are being made.
cat >run.sh <<'END'
for i in 1 2 3 4 5 6 7 8 9 10; do
    setarch -R ./omit 1 9
    setarch -R ./no-omit 1 9
    sleep 0.5
done
hold() {
    for shape in 0 1 2 3 4 5 6 7; do
        setarch -R "$1" 40 $shape &
        pid=$!
        until grep -q '^State:.*T' /proc/$pid/status; do
            kill -0 $pid || exit 1
            sleep 0.1
        done
        echo $pid >>pids
    done
}
hold ./omit
hold ./no-omit
END
"$STAPRUN" --ledger ledger.json -c 'bash run.sh' _changing.ko >out 2>err || fail "$(cat out err)"
cat err
grep -v '^kept' out
gdb_stacks $(cat pids) >gdb.out
kill -KILL $(cat pids)
read -r _ hits _ wrong <<<"$(grep '^hits' out)"
[ "$hits" -ge $((16 * 40 * 8)) ] || fail "$hits hits"
is_equal 'wrong stacks' "$wrong" 0
is_equal 'processes' "$(wc -l <pids)" 16
complete=$(grep -o '"user_stacks": {"complete": [0-9]*' ledger.json | sed 's/.* //')
[ "${complete:-0}" -ge $((hits * 9 / 5)) ] || fail "$complete walks of $((2 * hits)) are complete"
# A kept one begins with reached(), in which GDB finds the process further on. GDB goes on behind a coroutine.
while read -r pid; do
    kept=$(sed -n "s/^kept $pid 0x[0-9a-f]* \(.*\) $/\1/p" out)
    case "$(sed -n "s/^$pid [0-9]* //p" gdb.out) " in
    *" $kept "*) ;;
    *) fail "process $pid: kept $kept, GDB $(sed -n "s/^$pid //p" gdb.out)" ;;
    esac
    [ "$(wc -w <<<"$kept")" -ge 5 ] || fail "process $pid: kept $kept"
done <pids
