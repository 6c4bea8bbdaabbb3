# SPDX-License-Identifier: GPL-2.0-or-later
# Return addresses behind calls that do not return, where the next function begins: against /proc/kallsyms.
#: host: cc -O2 -static -o ring "$AREA/_ring.c"
#: scripts: _ends.stp
#: timeout: 200
#: long: reads all symbols of the kernel twice
#: records: also
perl "$AREA/_ends.pl" ends >ends
"$STAPRUN" _ends.ko -c ./ring listed="$(cut -d' ' -f1 ends | paste -sd,)" >out
cat ends out
is_among() { [[ "|$2|" = *"|$3|"* ]] || fail "$1: $3, not $2"; }
while read -r address begins ended; do
    is_among "any address, $address" $begins "$(sed -n "s/^any 0x$address //p" out)"
    lines=($(grep -A 2 "^any 0x$address " out | sed -n 's/^ 0x[0-9a-f]* : \([^+]*\)+.*/\1/p'))
    is_among "the first of a list, $address" $begins ${lines[0]}
    is_among "the second of a list, $address" $ended ${lines[1]}
done <ends
grep -q '^stack' out || skip 'no thread of io_uring ended here; lists are right'
addresses=$(sed -n 's/^stack //p' out | head -n 1)
known=($(perl "$AREA/_ends.pl" name ${addresses#* }))
# names SECTION: from there to the next word alone.
names() { awk -v is="$1" '/^[a-z]+$/ { on = $0 == is; next } on { sub(/^ 0x[0-9a-f]+ : /, ""); sub(/[+]0x.*/, ""); print }' out; }
for kind in names printed text kept; do
    all=($(names $kind))
    is_equal "frames, $kind" ${#all[@]} $((${#known[@]} + 1))
    is_equal "the first, $kind" ${all[0]} do_exit
    for i in ${!known[@]}; do is_among "frame $((i + 1)), $kind" ${known[i]} ${all[i + 1]}; done
done
