# SPDX-License-Identifier: GPL-2.0-or-later
# Two probes that hand elements of an array to each other by the thread are thinned as one: no return finds nothing, and no element stays
# for another call to find. A module that was made without --budget shows that this is not so by itself.
#: host: cc -O1 -Wall -pthread -o reads "$AREA/_reads.c"
#: host: "$STAP" --no-global-var-display --budget=1 -p4 -r "$R" -m pairs "$AREA/_budget_pairs.stp" >/dev/null
#: host: "$STAP" --no-global-var-display -p4 -r "$R" -m apart "$AREA/_budget_pairs.stp" >/dev/null
#: timeout: 400
#: long: twenty sessions
#: records: no, its twenty sessions print lines of one kind
reads=50000 threads=4
# run MODULE SEED: its figures, and those of the ledger of both probes
run() {
    "$STAPRUN" --budget=1 --ledger ledger -c "sh -c './reads $threads $reads $2 >true'" "$1".ko >out 2>err || fail "$1: status $?: $(cat err)"
    read -r entered found orphans mismatched left <out
    read -r hits_in handled_in refused hits_out handled_out _ <<<"$(sed -n '/vfs_read/s/.*"hits": \([0-9]*\), "handled": \([0-9]*\).*"refused": \([0-9]*\).*/\1 \2 \3/p' ledger | paste -sd' ')"
    echo "$1 $2: entered $entered, found $found, orphans $orphans, mismatched $mismatched, left $left; handled $handled_in of $hits_in, $handled_out of $hits_out"
}
estimates=0 reads_in=0
for seed in 1 2 3 4 5; do
    run pairs $seed
    is_equal 'returns without an entry' "$orphans" 0
    is_equal "elements of other calls" "$mismatched" 0
    is_equal 'elements without a return' "$left" 0
    is_equal 'weights of returns' "$found" "$entered"
    [ "$handled_in" -lt $((hits_in * 9 / 10)) ] || fail "hardly thinned: $handled_in of $hits_in"
    estimates=$((estimates + entered)) reads_in=$((reads_in + hits_in - refused))
done
# How good an estimate is depends on the hits that were handled; budget_counts looks at that.
[ $estimates -ge $((reads_in / 3)) ] && [ $estimates -le $((reads_in * 3)) ] || fail "$estimates of $reads_in reads"
run apart 1
[ "$orphans" -gt 0 ] || fail 'no return lost its entry without pairs'
