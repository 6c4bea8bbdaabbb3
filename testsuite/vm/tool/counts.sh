# SPDX-License-Identifier: GPL-2.0-or-later
# tools/funccount.stp and tools/readsizes.stp, with each of their options, on a program that is told how often it does what.
#: requires: program python3
#: host: cc -O1 -static -o counts "$AREA/_counts.c" && cp counts others
#: host: "$STAP" -p4 -r "$R" -m funccount "$AREA/../../../tools/funccount.stp" "process(\"$W/counts\").function(\"counted_*\")" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m readsizes "$AREA/../../../tools/readsizes.stp" >/dev/null
#: timeout: 120
rows() { awk -F '\t' -v table="$1" '$1 == table { print substr($0, length(table) + 2) }' rows; }
# traced MODULE COMMAND NAME=VALUE...
traced() {
    local module=$1 command=$2
    shift 2
    "$STAPRUN" "$module.ko" --format=json -c "$command" "$@" >out 2>err || { cat out err; fail "$module $*"; }
    python3 "$AREA/../programs/_rows.py" <out >rows
}
tab=$'\t'

# An hour: the session ends before.
traced funccount "$W/counts 7 5 0 0" every=3600000
is_equal 'hits by function' "$(rows hits)" "7${tab}counted_one"$'\n'"5${tab}counted_two"
traced funccount "$W/counts 7 5 0 0" every=3600000 rows=1
is_equal 'the most frequent' "$(rows hits)" "7${tab}counted_one"
traced funccount "$W/counts 7 5 0 0" every=3600000 by=process
is_equal 'hits by process' "$(rows hits)" "12${tab}counts"
traced funccount "$W/counts 7 5 0 0" every=3600000 by=point
is_equal 'hits by point' "$(rows hits | cut -f 1; rows hits | grep -c 'process(".*/counts").function("counted_')" $'7\n5\n2'
traced funccount "sh -c '$W/counts 3 0 0 0; sleep 1; $W/counts 3 0 0 0'" every=50
is_equal 'hits of all intervals' "$(rows hits | awk '{ sum += $1 } END { print sum, NR }')" '6 2'

traced readsizes "$W/counts 0 0 9 4"
is_equal 'reads' "$(rows programs)" "counts${tab}9${tab}111105${tab}12345${tab}12345"
is_equal 'reads in the histogram' "$(rows -)" 9
traced readsizes "$W/counts 0 0 9 4" op=write
is_equal 'writes' "$(rows programs)" "counts${tab}4${tab}3108${tab}777${tab}777"
traced readsizes "$W/counts 0 0 9 4" op=all
is_equal 'reads and writes' "$(rows programs)" "counts${tab}13${tab}114213${tab}8785${tab}12345"
traced readsizes "sh -c '$W/counts 0 0 9 0; $W/others 0 0 90 0'" rows=1
is_equal 'who reads most' "$(rows programs)" "others${tab}90${tab}1111050${tab}12345${tab}12345"
