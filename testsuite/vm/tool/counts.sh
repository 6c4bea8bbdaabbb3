# SPDX-License-Identifier: GPL-2.0-or-later
# tools/points/funccount.stp and tools/files/readsizes.stp, with each of their options, on a program that is told how often it does what.
#: host: cc -O1 -static -o counts "$AREA/_counts.c" && cp counts others
#: host: "$STAP" -p4 -r "$R" -m funccount run funccount "process(\"$W/counts\").function(\"counted_*\")" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m readsizes run readsizes >/dev/null
#: timeout: 120
# traced MODULE COMMAND NAME=VALUE...: the rows, without their times, are in `rows`.
traced() {
    local module=$1 command=$2
    shift 2
    "$STAPRUN" "$module.ko" --format=csv -c "$command" "$@" >out 2>err || { cat out err; fail "$module $*"; }
    tr -d '\r' <out | sed '1d; s/^[^,]*,//' >rows
}

# An hour: the session ends before.
traced funccount "$W/counts 7 5 0 0" every=3600000
is_equal 'hits by function' "$(cat rows)" "7,counted_one"$'\n'"5,counted_two"
traced funccount "$W/counts 7 5 0 0" every=3600000 rows=1
is_equal 'the most frequent' "$(cat rows)" "7,counted_one"
traced funccount "$W/counts 7 5 0 0" every=3600000 by=process
is_equal 'hits by process' "$(cat rows)" "12,counts"
traced funccount "$W/counts 7 5 0 0" every=3600000 by=point
is_equal 'hits by point' "$(cut -d , -f 1 rows; grep -c 'process("".*/counts"").function(""counted_' rows)" $'7\n5\n2'
traced funccount "sh -c '$W/counts 3 0 0 0; sleep 1; $W/counts 3 0 0 0'" every=50
is_equal 'hits of all intervals' "$(awk -F, '{ sum += $1 } END { print sum, (NR > 1) }' rows)" '6 1'

traced readsizes "$W/counts 0 0 9 4"
is_equal 'reads' "$(cat rows)" "counts,9,111105,12345,12345"
"$STAPRUN" readsizes.ko --format=json -c "$W/counts 0 0 9 4" >out
is_equal 'reads in the histogram' "$(sed -n 's/^{"v":1,"type":"hist",.*"count":\([0-9]*\),.*/\1/p' out)" 9
traced readsizes "$W/counts 0 0 9 4" op=write
is_equal 'writes' "$(cat rows)" "counts,4,3108,777,777"
traced readsizes "$W/counts 0 0 9 4" op=all
is_equal 'reads and writes' "$(cat rows)" "counts,13,114213,8785,12345"
traced readsizes "sh -c '$W/counts 0 0 9 0; $W/others 0 0 90 0'" rows=1
is_equal 'who reads most' "$(cat rows)" "others,90,1111050,12345,12345"
