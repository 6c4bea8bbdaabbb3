# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of 4,096 shapes on all processors at 997 Hz, and those of a program that is gone after ten milliseconds; and as many stacks
# as are taken in half a minute where the machine is not emulated. Each is accounted for, in 8 MB, and is whole from the start on.
#: host: gcc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o spin "$AREA/../../bench/stacks/spin.c"
#: host: gcc -O1 -g -fno-plt -o brief "$AREA/_brief.c"
#: scripts: _shapes.stp _shapes_hits.stp
#: script-args: $W/spin
#: cpus: 4
#: timeout: 400
#: long: half a minute of samples
rm -rf /var/cache/tapir/unwind
number() { sed -n "s/.*\"$1\": {.*\"$2\": \([0-9]*\).*/\1/p" ledger.json | tail -1; }
in_room() { [ "$(number stacks bytes)" -le $((8 << 20)) ] && [ "$(number stacks refused)" = 0 ] || fail "memory: $(grep '"stacks"' ledger.json)"; }
# sampled SECONDS MOST: at most so many of a thousand stacks end at a file without a table. Status 3 is that of what has no names.
sampled() {
    local status=0 taken all none
    "$STAPRUN" _shapes.ko --ledger ledger.json -o shapes.folded -c "sh -c './spin user 4096 $1 4; for i in 1 2 3 4 5 6 7 8 9 10; do ./brief; done'" >out 2>err || status=$?
    cat out err
    [ $status = 0 ] || [ $status = 3 ] || fail "status $status"
    ! grep -E '^(ERROR|WARNING)' err || fail 'an error'
    in_room
    taken=$(sed -n 's/ samples$//p' out)
    is_equal 'samples in the picture' "$(awk '!/^#/ { s += $NF } END { print s + 0 }' shapes.folded)" "$taken"
    all=$(number user_stacks complete) none=$(number user_stacks no_table)
    echo "$taken samples, $none of $all without a table, $(number stacks kept) stacks in $(number stacks bytes) bytes"
    grep 'unwind table not made yet' shapes.folded | cut -c1-200 | head || :
    [ $((none * 1000)) -le $((all * $2)) ] || fail "$none of $all without a table"
    grep '^brief;' shapes.folded >brief.folded || fail 'no samples of the program that is gone'
    grep -q ';main;brief_outer;brief_inner' brief.folded || fail 'its functions'
    ! grep -E ';\[(brief|unknown file|code in no file)\]' brief.folded || fail 'a frame without a name'
}
sampled "${SECONDS_OF_LOAD:-30}" 1
sampled 3 0
"$STAPRUN" _shapes_hits.ko --ledger ledger.json -c "./spin nowhere 4096 119640" >out 2>err || fail "$(cat out err)"
cat out err
is_equal 'stacks and calls' "$(grep ' stacks of ' out)" '4096 stacks of 119640 calls'
in_room
grep '"stacks": {' ledger.json
