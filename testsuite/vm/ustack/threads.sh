# SPDX-License-Identifier: GPL-2.0-or-later
# 33 threads, and a recursion 1,000 deep, from their first instruction: at least 99 of 100 stacks are complete.
#: scripts: _threads.stp
#: timeout: 120
for mode in threads deep; do
    "$STAPRUN" -c "$BIN/unwind_program spin $mode" --ledger ledger.json _threads.ko >out 2>err || { cat out err; fail "$mode"; }
    cat out err
    walks=$(sed -n 's/.*"user_stacks": {\(.*\), "objects".*/\1/p' ledger.json | tr -d '" ' | tr ',' '\n')
    echo "$walks" | tr '\n' ' '
    complete=$(echo "$walks" | sed -n 's/^complete://p; s/^cut://p' | paste -sd+ | bc)
    all=$(echo "$walks" | grep -v '^foreign' | cut -d : -f 2 | paste -sd+ | bc)
    [ "$all" -ge 200 ] || fail "only $all walks"
    [ $((complete * 100)) -ge $((all * 99)) ] || fail "$mode: $complete of $all walks are complete"
done
grep -Eq '^depth 1000: ' out || fail 'no deep stack'
