# SPDX-License-Identifier: GPL-2.0-or-later
# A stack deeper than the limit of frames is reported as incomplete; one within it is whole.
#: host: cc -O2 -fno-optimize-sibling-calls -o limit "$AREA/_limit.c"
#: scripts: _limit_printed.stp _limit_stored.stp
#: script-args: $W/limit
run() { # SCRIPT LEVELS
    "$STAPRUN" --ledger ledger.json -c "./limit $2" "_limit_$1.ko" >out 2>err || fail "$1 of $2: $(cat err)"
    cat err
    levels=$(grep -c 'descend+' out)
}
for kind in 'printed 4000' 'stored 2000'; do
    run $kind
    is_equal "levels of $kind" "$levels" "${kind#* }"
    [ ! -s err ] || fail "$kind: $(cat err)"
    grep -q '"user_stacks": {"complete": 1, ' ledger.json || fail "the ledger of $kind"
    tail -n 1 out | grep -q '_start+' || fail "$kind does not reach the start"
done
for kind in 'printed 5000 4096' 'stored 3000 2048'; do
    read -r what depth most <<<"$kind"
    run "$what" "$depth"
    # One frame is another's; a stored stack has two words for each run of places.
    [ "$levels" -lt "$most" ] && [ "$levels" -gt $((most - 16)) ] || fail "$levels levels of $kind"
    grep -Fxq 'user stacks: 0 of 1 complete; 1 ended at the limit of frames (4096; 2048 of a stored stack)' err ||
        fail "nothing says that $kind is incomplete: $(cat err)"
    grep -q '"cut": 0, .*"limit": 1, ' ledger.json || fail "the ledger of $kind"
done
