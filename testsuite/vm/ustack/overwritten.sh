# SPDX-License-Identifier: GPL-2.0-or-later
# A program that another one of the same size is written over keeps its inode; each has its own names.
#: long: many rounds of programs that last a while
#: records: also
#: host: for p in 'first_ 1' 'second 2'; do set -- $p; cc -O1 -fno-optimize-sibling-calls -static -DNAME=$1 -DNUMBER=15000000$2 -o "$1" "$AREA/_overwritten.c" || exit 1; done
#: scripts: _overwritten.stp
is_equal 'sizes' "$(stat -c %s first_)" "$(stat -c %s second)"
cat >run.sh <<'END'
for ((round = 0; round < $1; round++)); do
    for name in first_ second; do
        cp "$name" over
        ./over
        sleep "$2"
    done
done
END
# run ROUNDS PAUSE: a line of each stack, with the number that the program told.
run() {
    cp first_ over
    before=$(stat -c %i over)
    "$STAPRUN" --ledger ledger.json -c "bash run.sh $*" _overwritten.ko >out 2>err || fail "$(cat err)"
    cat err
    is_equal 'inode' "$(stat -c %i over)" "$before"
    awk '/^call / { if (line) print line; line = $2; next } { line = line " " $1 } END { print line }' out |
        sed 's/+0x[0-9a-f]*//g' >stacks
    is_equal 'stacks' "$(wc -l <stacks)" $((2 * $1))
}
# With time to make a table.
run 2 2
is_equal 'names of the first' "$(grep -c '^150000001 .* first_ main ' stacks)" 2
is_equal 'names of the second' "$(grep -c '^150000002 .* second main ' stacks)" 2
# Without: a stack may stay without names, but never gets the other's.
run 10 0
is_equal 'wrong names' "$(grep -c -e '^150000001 .* second' -e '^150000002 .* first_' stacks || :)" 0
