# SPDX-License-Identifier: GPL-2.0-or-later
# The first run of programs that last some milliseconds and that were not announced: their walks end at files whose tables are being
# made, and go on when these are there. The program says which of its functions were entered.
#: host: for i in $(seq 0 20) 30 31 32; do cc -O1 -fno-optimize-sibling-calls -static -pthread -DNUMBER=$i -o first$i "$AREA/_first.c" || exit 1; done
#: host: "$STAP" -p4 -r "$R" -m first "$AREA/_first.stp" >/dev/null
#: timeout: 300
#: long: dozens of programs run for the first time
#: records: no, it makes pictures
. "$AREA/_first.sh"
# stacks_of FILE: of each stack a line: the program, how often, and its functions from the innermost on.
stacks_of() {
    awk '/^stack / { if (line) print line; line = $2 " " $3; next } line && /^ 0x/ { line = line " " ($2 == ":" ? $3 : "?"); next }
        { if (line) print line; line = "" } END { if (line) print line }' "$1" | sed 's/+0x[0-9a-f]*\/0x[0-9a-f]*//g'
}
# ran ARGUMENT...: run.sh with these, traced.
ran() {
    local status=0
    "$STAPRUN" first.ko --ledger ledger.json -o first.folded -c "./run.sh $*" >out 2>err || status=$?
    cat err
    ! grep -E '^(ERROR|WARNING)' err || fail 'an error'
    stacks_of out >stacks
}
# check PROGRAM CALLS: all its stacks are whole, and those that the program tells of.
check() {
    local told other turned
    told=$(sed -n "s/^chain $1: //p" out | sort -u)
    is_equal "calls of $1" "$(awk -v p="$1" '$1 == p { n += $2 } END { print n + 0 }' stacks)" "$2"
    other=$(grep "^$1 " stacks | grep -vE "^$1 [0-9]+ [a-z_]*getppid $told( [a-z_0-9]+)* (_start|_*clone3?)\$") || :
    is_equal "other stacks of $1" "$other" ''
    turned=$(awk '{ for (i = NF; i; i--) printf ";%s", $i }' <<<"$told")
    is_equal "$1 in the picture" "$(awk -v f="$turned;" '!/^#/ && index($0, f) { n += $NF } END { print n + 0 }' first.folded)" "$2"
}
ran 0 20 3
for i in $(seq 0 20); do check "first$i" 3; done
is_equal 'without a table' "$(number no_table)" 0
# Threads end where they began.
ran 30 30 2 4
check first30 8
# More stacks than there is room for, since no process makes tables meanwhile: the others stay as they are, and staprun says so.
"$STAPRUN" first.ko --ledger ledger.json -o first.folded >out 2>err &
staprun=$!
eventually 60 is_armed first
kill -STOP $staprun
./run.sh 31 31 500 >told
kill -CONT $staprun
kill -INT $staprun
wait $staprun || :
cat err
finished=$(number finished) refused=$(number refused)
is_equal 'samples' "$(awk '!/^#/ { s += $NF } END { print s }' first.folded)" 500
[ "$finished" -ge 16 ] && [ "$refused" -ge 500 ] || fail "$finished were finished later, for $refused there was no room"
is_equal 'walks' $((finished + refused)) 1000
grep -q "for $refused there was no room to wait for a table" err || fail 'the note'
# The loader ends at the wrong moment, and the module is removed meanwhile.
"$STAPRUN" first.ko -o first.folded >out 2>err &
staprun=$!
eventually 60 is_armed first
kill -STOP $staprun
./run.sh 32 32 20 >told
kill -KILL $staprun
wait $staprun || :
eventually 60 rmmod first
