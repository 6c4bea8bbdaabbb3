# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks at a function of C++ and Rust programs, optimised and without frame pointers, of all threads: frame by frame as GDB has them.
#: host: ! command -v rustc >/dev/null || rustc -O -g -C force-frame-pointers=no -o rust "$AREA/_program.rs"
#: scripts: _entries.stp _threads.stp
#: script-args: "$BIN/unwind_program" "$W/rust"
#: stap: -DMAXSTRINGLEN=20000
#: requires: program gdb
#: timeout: 600
. "$AREA/_gdb.sh"

# run_until_all_are_there COMMAND THREADS: sets `pid`, which is stopped (or GDB starts slowly), and `staprun`.
run_until_all_are_there() {
    "$STAPRUN" -c "$1" _entries.ko >out 2>err &
    staprun=$!
    eventually 60 eval '[ "$(grep -c "^thread .* $" out)" -ge '"$2"' ]'
    pid=$(pgrep -x "$(basename "${1%% *}" | cut -c1-15)")
    kill -STOP "$pid"
}
finish() {
    kill -KILL "$pid"
    wait $staprun || :
}

# COMMAND THREADS: how many threads come to burn().
compare() {
    run_until_all_are_there "$1" "$2"
    # A thread that came by while another one was changing the mappings, before anybody had looked at them.
    if [ "$(grep -c '^thread [0-9]* 0x[0-9a-f]* $' out)" -gt 0 ]; then
        finish
        grep -q 'ended while the process.s mappings were being changed' err || { cat out err; fail "$1: incomplete stacks"; }
        run_until_all_are_there "$1" "$2"
    fi
    expected=$(gdb_threads "$pid")
    finish
    grep -q 'user stacks' err && { cat out err; fail "$1: incomplete stacks"; }
    # Frame 0 is elsewhere in the same function.
    found=$(sed 's/ $//' out | sort)
    [ "$(echo "$found" | wc -l)" = "$2" ] || { cat out err; fail "$1: threads"; }
    frames=0
    while read -r _ thread _ rest; do
        is_equal "$1: thread $thread" "$rest" "$(echo "$expected" | sed -n "s/^thread $thread 0x[0-9a-f]* //p")"
        frames=$((frames + $(echo "$rest" | wc -w)))
    done <<<"$found"
    echo "$1: $frames frames of $2 threads"
}

for mode in shapes library signal deep; do compare "$BIN/unwind_program spin $mode" 1; done
compare "$BIN/unwind_program spin threads" 33
command -v rustc >/dev/null || skip 'the Rust program needs the program rustc'
compare ./rust 8
# And samples.
"$STAPRUN" -c ./rust --ledger ledger.json _threads.ko >out 2>err || :
cat out err
count() { sed -n "s/.*\"user_stacks\": {.*\"$1\": \([0-9]*\).*/\1/p" ledger.json; }
whole=$(($(count complete) + $(count cut)))
all=$(sed -n 's/.*"user_stacks": {\(.*\), "foreign".*/\1/p' ledger.json | grep -o '[0-9]*' | paste -sd+ | bc)
echo "$whole of $all"
[ "$all" -ge 200 ] || fail "only $all samples"
[ $((whole * 100)) -ge $((all * 99)) ] || fail "$whole of $all stacks of the Rust program are complete"
