# SPDX-License-Identifier: GPL-2.0-or-later
# Each kind of flame graph against a program that knows what it did: amounts are exactly its own, times and shares about what it
# measured.
#: host: gcc -O1 -g -pthread -o truth "$AREA/_truth.c"
#: host: for t in oncpu offcpu wakeup offwake wallclock alloc leak heapgrow pagefaults filebytes filelatency locks netbytes threads; do "$STAP" -p4 -r "$R" -m $t -c "$W/truth" run $t >/dev/null || exit; done
#: timeout: 400
#: long: a program per kind
# run TOOL WAY [ARG...]: the stacks are in TOOL.folded, what the program says in TOOL.said. Status 3 is that of the shell's frames,
# which have no names.
run() {
    local tool=$1 way=$2 status=0
    shift 2
    "$STAPRUN" $tool.ko "$@" -o $tool.folded -c "./truth $way >$tool.said" >out 2>err || status=$?
    [ $status = 0 ] || [ $status = 3 ] || { cat out err; fail "$tool: status $status"; }
    ! grep '^ERROR' err || fail "$tool: an error"
}
# sum TOOL FUNCTION [ROOT]: of the stacks with it, below a root if one is given.
sum() { awk -v f="$2" -v root="${3-}" '(";" $0 ";" ~ ";" f "[; ]") && (root == "" || index($0, root ";") == 1) { s += $NF } END { print s + 0 }' $1.folded; }
said() { awk -v f="$2" '$1 == f { print $2 }' $1.said; }
exactly() { is_equal "$1 $2" "$(sum $1 $2 ${3-})" "$(said $1 $2)"; }
# about TOOL FUNCTION LOW HIGH [ROOT]: within these percentages of what the program says.
about() {
    local is=$(sum $1 $2 ${5-}) is_not=$(said $1 $2)
    ((is * 100 >= is_not * $3 && is * 100 <= is_not * $4)) || fail "$1 $2: $is, the program says $is_not"
}
# shares TOOL: samples of the three spinning functions, within a tenth of all of their shares of the time. A host that takes
# processors away from the guest makes the guest's clocks and ticks disagree; otherwise three standard deviations hold.
shares() {
    for f in spin_half spin_third spin_fifth; do echo "$(sum $1 $f) $(said $1 $f)"; done | awk -v tool=$1 '
        { n[NR] = $1; t[NR] = $2; all += $1; time += $2 }
        END {
            if (all < 100) { print tool ": only " all " samples"; exit 1 }
            for (i in n) {
                d = n[i] / all - t[i] / time
                if (d > 0.1 || d < -0.1) { print tool ": " n[i] " of " all " samples, the share of the time is " t[i] / time; exit 1 }
            }
        }' || fail "$1: shares"
}
run oncpu cpu
shares oncpu
run threads cpu
shares threads
run offcpu sleep
about offcpu sleep_long 80 101
about offcpu sleep_short 60 115
run wakeup wake
about wakeup send_byte 60 101
run offwake wake
about offwake wait_for_byte 60 101
grep -q 'wait_for_byte;.*;--;.*send_byte' offwake.folded || fail "offwake: the waker is not behind the waiting stack"
run wallclock sleep
about wallclock sleep_long 80 101 sleeping
run alloc alloc
for f in allocate_large allocate_small grow_one; do exactly alloc $f; done
run leak leak
for f in allocate_large allocate_small grow_one; do exactly leak $f; done
run heapgrow heap
for f in map_more break_more; do exactly heapgrow $f; done
run pagefaults faults
about pagefaults touch 100 101
run filebytes files
exactly filebytes write_block written
exactly filebytes read_block read
run filelatency files
(($(sum filelatency read_block) > 0)) || fail "filelatency: nothing"
run locks lock
about locks wait_for_lock 60 101
run netbytes net
exactly netbytes send_block sent
exactly netbytes receive_block received
