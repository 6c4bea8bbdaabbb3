# SPDX-License-Identifier: GPL-2.0-or-later
# Random programs in C, C++ with exceptions, Rust with panics and Go with a thousand goroutines; with longjmp(), coroutines and recursion
# 100,000 deep. `.return` sees exactly the returns that they count, with results and arguments, they end as ever, and the ledger's
# calls are those that began. For more, in the environment:
#   RETURN_PROGRAMS=N  so many programs of one seed (4), all in one boot; from 7 on there are ones of Rust, from 8 on of Go
#   SEED=N             other programs (1)
#   HITS=N             so many returns of each program, about (4000); for many, TAPIR_PATIENCE moves the time limit
# The file accounts has a line for each program that was right, also of a run that was ended: seed, program, language, calls that the
# program counted, calls followed, returned, left, inside, missed. A last line has the sums.
#: host: python3 "$AREA/_generate.py" . "${RETURN_PROGRAMS:-4}" "${SEED:-1}"
#: host: for f in program*.build; do sh ./$f || exit; done; rm -rf cache
#: host: for f in program*.build; do p=${f%.build}; [ -e $p.go ] && main=main. || main=; "$STAP" -p4 -r "$R" -m $p returns.stp "$W/$p" "${main}f[0-9]" ${main}deep >/dev/null || exit; done
#: timeout: 300
#: long: random programs
#: records: also
for program in program?*.build; do
    program=${program%.build} depth=1000
    [ $program != program0 ] || depth=100000
    "$STAPRUN" $program.ko --ledger $program.json -c "./$program ${HITS:-4000} $depth >said; echo \$? >>said" >out 2>err || { cat out err; fail "$program: status $?"; }
    is_equal "$program: messages" "$(cat err)" ''
    is_equal "$program" "$(cat out; echo 3)" "$(grep -v ^calls said)"
    calls=$(sed -n 's/^calls //p' said) returns=$(awk '/^calls/ { next } NF > 1 { n += $2 } END { print n }' said)
    read -r followed back left inside missed <<<"$(grep '"calls"' $program.json | tr -c '0-9\n' ' ')"
    is_equal "$program: followed, returned, missed" "$followed $back $missed" "$calls $returns 0"
    is_equal "$program: left and inside" "$((left + inside))" "$((calls - returns))"
    grep -q '"balanced": true' $program.json || fail "$program: the ledger does not balance"
    source=$(echo $program.[cgr]*) # .c, .cc, .go or .rs
    echo "seed ${SEED:-1} $program ${source#*.} calls $calls followed $followed returned $back left $left inside $inside missed $missed" >>accounts
done
awk '{ n++; calls += $6; followed += $8; returned += $10; left += $12; inside += $14; missed += $16 }
    END { print n " programs calls " calls " followed " followed " returned " returned " left " left " inside " inside " missed " missed }' accounts >sums
cat sums >>accounts
