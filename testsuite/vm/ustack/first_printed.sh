# SPDX-License-Identifier: GPL-2.0-or-later
# print_ubacktrace() in the first run of programs that last some milliseconds: the lines are made when the tables are there, and are where
# they were printed. Output that is lost leaves no walk behind.
#: host: for i in $(seq 0 9) 30 31; do cc -O1 -fno-optimize-sibling-calls -static -pthread -DNUMBER=$i -o first$i "$AREA/_first.c" || exit 1; done
#: scripts: _first_printed.stp
#: timeout: 300
#: long: dozens of programs run for the first time
#: records: no, it stops the process of staprun
. "$AREA/_first.sh"
# lines_of FILE: each line of a stack as the function; the program's own lines are left out.
lines_of() { grep -v '^chain ' "$1" | sed -E 's/^ 0x[0-9a-f]+ : ([a-z_0-9]+)\+0x[0-9a-f]+\/0x[0-9a-f]+ \[.*\/first[0-9]+\]$/\1/; s/^([a-z_0-9]+)\+0x[0-9a-f]+$/\1/'; }
"$STAPRUN" --ledger ledger.json -c "./run.sh 0 9 3" _first_printed.ko >out 2>err || fail "$(cat err)"
cat err
calls=0
for i in $(seq 0 9); do
    told=$(sed -n "s/^chain first$i: //p" out)
    for call in 1 2 3; do
        calls=$((calls + 1))
        lines=$(lines_of out | sed -n "/^stack first$i $calls\$/,/^end/p" | paste -sd ' ')
        [[ $lines =~ ^"stack first$i $calls "[a-z_]*"getppid $told "([a-z_]+ )*"_start brief "[a-z_]*"getppid $told "([a-z_]+ )*"_start end first$i"$ ]] || fail "$lines"
    done
done
is_equal 'without a table' "$(number no_table)" 0
# Threads, of which several print at once.
"$STAPRUN" --ledger ledger.json -c "./run.sh 30 30 2 4" _first_printed.ko >out 2>err || fail "$(cat err)"
is_equal 'stacks of threads' "$(lines_of out | grep -c '^_*clone3\?$')" 16
is_equal 'functions of threads' "$(lines_of out | grep -c '^inner30$')" 16
# While no process makes tables there is room for some; the others have the line that they had. The loader makes what is asked for at the end.
"$STAPRUN" --ledger ledger.json -o out _first_printed.ko 2>err &
staprun=$!
eventually 60 is_armed _first_printed
kill -STOP $staprun
./run.sh 31 31 200 >told
kill -CONT $staprun
kill -INT $staprun
wait $staprun || :
cat err
finished=$(number finished) refused=$(number refused)
is_equal 'walks' $((finished + refused)) 400
[ "$finished" -ge 16 ] && [ "$refused" -ge 200 ] || fail "$finished were finished later, for $refused there was no room"
is_equal 'whole stacks' "$(lines_of out | grep -c '^_start$')" "$finished"
is_equal 'others' "$(grep -cE '^ ?0x[0-9a-f]+$' out)" "$refused"
is_equal 'ends' "$(grep -c '^end first31$' out)" 200
