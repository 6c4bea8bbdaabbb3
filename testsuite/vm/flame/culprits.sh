# SPDX-License-Identifier: GPL-2.0-or-later
# Six programs of which it is known what is wrong with them: the first card of each picture names it, and its share is what the program itself
# counted. The captures stay in the case's folder; testsuite/report/captures has those of one run, for the tests and pictures of pages.
#: long: each program runs for seconds, and one is unpacked
#: host: "$AREA/../programs/_unpack.sh" redis-server redis-tools
#: host: for p in fsync:payments leak:sessions neighbor:prices; do gcc -O1 -g -o ${p#*:} "$AREA/_culprit_${p%:*}.c" || exit; done
#: host: g++ -O1 -g -pthread -o orders "$AREA/_culprit_lock.cc"
#: host: for t in oncpu offcpu leak wallclock interpreted; do "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=4096 -m $t -c /bin/true run $t >/dev/null || exit; done
#: requires: file /usr/bin/python3
#: timeout: 600
. "$AREA/../programs/_lib.sh"
# Captures have the paths of what ran; these are the same wherever the tree is.
shop=/tmp/shop
mkdir $shop
cp orders payments sessions prices "$STAPRUN" $shop
cp "$AREA/_culprit_regex.py" $shop/forms.py
cp -r $root/usr $shop/redis
export PATH=$shop:$shop/redis/bin:$PATH
for directory in $shop/redis/lib/*-linux-gnu; do export LD_LIBRARY_PATH=$directory; done
cp *.ko $shop
ln -s "$W/journal" $shop/journal # in memory nothing would wait
cd $shop

# picture NAME TOOL COMMAND: the capture, its summary, and what the program says.
picture() {
    local status=0
    $shop/staprun $2.ko --record $1.tapir -c "$3" >$1.said 2>$1.err || status=$?
    [ $status = 0 ] || { cat $1.said $1.err; fail "$1: status $status"; }
    "$BIN/stap-report" $1.tapir >$1.txt || fail "$1: stap-report ends with $?"
    cp $1.tapir $1.txt $1.said $1.err "$W"
    cat $1.txt
}
said() { awk -v what="$2" '$1 == what { print $2 }' $1.said; }
# card NAME NUMBER PATTERN: the card of that number is of PATTERN.
card() {
    local line=$(grep -E '^ *[0-9.]+ % +[0-9.,]+ ' $1.txt | sed -n "$2p")
    grep -qE "$3" <<<"$line" || fail "$1: card $2 is '$line', not of $3"
}
# near NAME FRAME AMONG PART WHOLE POINTS: the share of stacks with FRAME among those with AMONG is that of PART in WHOLE, within so many points.
near() {
    "$BIN/stap-report" --accept-partial $1.tapir -o $1.folded 2>/dev/null
    awk -v frame="$2" -v among="$3" -v part="$4" -v whole="$5" -v points=$6 -v name=$1 '
        !/^#/ && index($0, among) { all += $NF; if (index($0, frame)) some += $NF }
        END {
            is = all ? 100 * some / all : -100
            truth = 100 * part / whole
            printf "%s: %.1f %% of %s are in %s, the program says %.1f %%\n", name, is, among, frame, truth
            exit is < truth - points - 0.01 || is > truth + points + 0.01
        }' $1.folded || fail "$1: not as the program says"
}

picture lock offcpu './orders 40'
card lock 1 'pthread_mutex_lock in place_order'
near lock pthread_mutex_lock place_order $(said lock lock) $(said lock all) 10
picture fsync offcpu './payments journal 300'
card fsync 1 'fsync in append_payment'
near fsync ';fsync;' handle_payment $(said fsync fsync) $(said fsync all) 10
picture leak leak './sessions 500'
card leak 1 '99.6 % .*add_history'
near leak add_history main $(said leak add_history) $(said leak all) 0
picture regex interpreted '/usr/bin/python3 forms.py 4'
card regex 1 'is_good_title'
near regex is_good_title handle_form $(awk '{ print int(1000 * $2) }' regex.said | paste -sd ' ') 5
./prices neighbors &
neighbors=$!
picture neighbor wallclock './prices victim 800'
kill $neighbors $(pgrep -P $neighbors) 2>/dev/null || true
# It may lose its processor at the end of a call, too.
card neighbor 1 'runnable: .*serve'
near neighbor runnable serve $(($(said neighbor wanted) - $(said neighbor had))) $(said neighbor wanted) 10
redis_keys() {
    until redis-cli -p 7777 ping 2>/dev/null | grep -q PONG; do sleep 0.2; done
    redis-cli -p 7777 debug populate 10000 session >/dev/null
    redis-benchmark -p 7777 -n 3000 -c 4 -q -t get >/dev/null 2>&1
    redis-benchmark -p 7777 -n 250 -c 2 -q keys 'session:*77' >/dev/null 2>&1
    redis-cli -p 7777 info commandstats | tr -d '\r' | sed -n 's/^cmdstat_\([a-z]*\):.*,usec=\([0-9]*\),.*/\1 \2/p' >spent
    redis-cli -p 7777 shutdown nosave
}
redis_keys &
picture slow oncpu "redis-server --port 7777 --save '' --enable-debug-command yes"
wait $!
card slow 1 'keysCommand'
near slow keysCommand ';call;' $(awk '$1 == "keys" { print $2 }' spent) $(awk '{ s += $2 } END { print s }' spent) 15
