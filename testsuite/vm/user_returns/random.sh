# SPDX-License-Identifier: GPL-2.0-or-later
# Random programs in C and C++ with exceptions, longjmp(), coroutines and recursion 100,000 deep: `.return` sees exactly the returns
# that they count, with results and arguments, and they end as ever. RETURN_PROGRAMS=50 HITS=200000 SEED=N takes more.
#: host: python3 "$AREA/_generate.py" . "${RETURN_PROGRAMS:-4}" "${SEED:-1}" "${HITS:-4000}"
#: host: for f in program*.flags; do p=${f%.flags}; [ -e $p.c ] && c=cc || c=c++; $c $(cat $f) -o $p $p.c* || exit; "$STAP" -p4 -r "$R" -m $p returns.stp "$W/$p" >/dev/null || exit; done
#: timeout: 300
for program in program?*.flags; do
    program=${program%.flags} depth=1000
    [ $program != program0 ] || depth=100000
    "$STAPRUN" $program.ko --ledger $program.json -c "./$program ${HITS:-4000} $depth >said; echo \$? >>said" >out 2>err || { cat out err; fail "$program: status $?"; }
    is_equal "$program: messages" "$(cat err)" ''
    is_equal "$program" "$(cat out; echo 3)" "$(cat said)"
done
