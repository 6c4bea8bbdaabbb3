# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks, printed and kept, of programs that have called a null or wild pointer, and names of return addresses behind calls that do
# not return, where the next function begins.
#: host: C="$AREA/../../core"; gcc -g -O1 -o wild "$C/wild.c" && gcc -g -O1 -static -o wild-static "$C/wild.c" && gcc -g -O0 -no-pie -o wild-fixed "$C/wild.c"
#: host: gcc -g -O2 -falign-functions=1 -fno-toplevel-reorder -o ends "$AREA/../../core/ends.c"
#: scripts: _calls_end.stp
#: script-args: "$W/ends"
#: timeout: 200
#: long: programs crash many times
#: records: also
# run COMMAND: leaves what was printed in out. A program that crashes is no error.
run() {
    "$STAPRUN" _calls_end.ko -c "$1" >out 2>err || grep -q 'Child process exited' err || { cat out err; fail "$1"; }
    cat out err
}
names() { sed -n "/^$1\$/,/^end $1\$/s/^ 0x[0-9a-f]*\\( : \\([^+]*\\)+.*\\)\\?\$/\\2/p" out | sed 's/^$/?/' | paste -sd' '; }
for program in wild wild-static wild-fixed; do
    case $program in wild) ways='null heap data' ;; *) ways=null ;; esac
    for way in $ways; do
        # The first run of a program may end before its table is there.
        [ $way != null ] || run "./$program $way" >/dev/null
        run "./$program $way"
        # Beyond main is the C library's.
        for kind in crash kept; do
            case "$(names $kind)" in '? f_null main '*_start | 'written f_null main '*_start) ;; *) fail "$program, a call of $way, $kind: $(names $kind)" ;; esac
        done
    done
done
run 'timeout 2 ./ends'
is_equal 'names of return addresses' "$(sed -n 's/^names //p' out)" 'f_stay f_third f_second f_first main'
is_equal 'lines of return addresses' "$(sed -n 's/^lines //p' out)" "$(for call in f_stay f_third f_second f_first; do
    grep -n "^    $call(" "$AREA/../../core/ends.c" | head -n 1 | cut -d: -f1; done | paste -sd' ')"
