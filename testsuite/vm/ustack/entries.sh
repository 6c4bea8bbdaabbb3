# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks at a function of C++ and Rust programs, optimised and without frame pointers, of all threads: frame by frame as GDB has them.
#: long: samples of many stacks
#: host: ! command -v rustc >/dev/null || rustc -O -g -C force-frame-pointers=no -o rust "$AREA/_program.rs"
#: scripts: _entries.stp _threads.stp
#: script-args: "$BIN/unwind_program" "$W/rust"
#: stap: -DMAXSTRINGLEN=20000
#: requires: program gdb
#: timeout: 600
. "$AREA/_gdb.sh"

# Starts a session that ends without its program, until COMMAND's THREADS have come by; sets `staprun` and `pid`, which is stopped.
run_until_all_are_there() {
    "$STAPRUN" -c "sh -c 'setsid $1 & exec sleep 1000'" _entries.ko >out 2>err &
    staprun=$!
    eventually 60 eval '[ "$(grep -c "^thread .* $" out)" -ge '"$2"' ]'
    pid=$(pgrep -x "$(basename "${1%% *}" | cut -c1-15)" | grep -vxF "$pids")
    kill -STOP "$pid"
    kill -TERM $staprun
    wait $staprun || :
}

pids=0
# COMMAND THREADS: how many threads come to burn(). Leaves the stacks in found.PID, and the process.
collect() {
    run_until_all_are_there "$1" "$2"
    # A thread that came by while another one was changing the mappings, before anybody had looked at them, or before a file's table was made.
    if [ "$(grep -c '^thread [0-9]* 0x[0-9a-f]* $' out)" -gt 0 ]; then
        kill -KILL "$pid"
        grep -qE "ended (while the process's mappings were being changed|in a file whose unwind table had not been made)" err || { cat out err; fail "$1: incomplete stacks"; }
        run_until_all_are_there "$1" "$2"
    fi
    grep -q 'user stacks' err && { cat out err; fail "$1: incomplete stacks"; }
    sed 's/ $//' out | sort >found.$pid
    echo "$1" >command.$pid
    [ "$(wc -l <found.$pid)" = "$2" ] || { cat out err; fail "$1: threads"; }
    pids="$pids
$pid"
}

for mode in shapes library signal deep; do collect "$BIN/unwind_program spin $mode" 1; done
collect "$BIN/unwind_program spin threads" 33
command -v rustc >/dev/null || skip 'the Rust program needs the program rustc'
collect ./rust 8
pids=$(echo "$pids" | sed 1d)
gdb_stacks $pids >gdb.out
kill -KILL $pids
for pid in $pids; do
    frames=0
    # Frame 0 is elsewhere in the same function.
    while read -r _ thread _ rest; do
        is_equal "$(cat command.$pid): thread $thread" "$rest" "$(sed -n "s/^$pid $thread 0x[0-9a-f]* //p" gdb.out)"
        frames=$((frames + $(echo "$rest" | wc -w)))
    done <found.$pid
    echo "$(cat command.$pid): $frames frames of $(wc -l <found.$pid) threads"
done
# And samples.
"$STAPRUN" -c ./rust --ledger ledger.json _threads.ko >out 2>err || :
cat out err
count() { sed -n "s/.*\"user_stacks\": {.*\"$1\": \([0-9]*\).*/\1/p" ledger.json; }
whole=$(($(count complete) + $(count cut)))
all=$(sed -n 's/.*"user_stacks": {\(.*\), "foreign".*/\1/p' ledger.json | grep -o '[0-9]*' | paste -sd+ | bc)
echo "$whole of $all"
[ "$all" -ge 200 ] || fail "only $all samples"
[ $((whole * 100)) -ge $((all * 99)) ] || fail "$whole of $all stacks of the Rust program are complete"
