# SPDX-License-Identifier: GPL-2.0-or-later
# Writers do not wait for a report over a large array, but at most for its snapshot.
#: long: many rounds of contention
#: scripts: _report.stp
#: stap: -D MAXACTION=10000000 -D MAXACTION_INTERRUPTIBLE=10000000 -D MAXTIME=200000
#: host: cc -O2 -static -o calls "$AREA/../kmod/_calls.c"
#: cpus: 2
#: timeout: 240
(while :; do ./calls 4 2000; done) &
load=$!
# How long a report keeps its lock, in microseconds: the least of twenty, since an emulator has other things to do, too. For that
# reason the longest wait that was seen is told but not judged.
run() {
    "$STAPRUN" _report.ko held=$1 >out
    read -r hold wait count <out
    [ "$count" -gt 1000 ] || fail "only $count hits"
}
run 1
with_lock=$hold waited_for_lock=$wait
run 0
kill $load
echo "with the lock: held $with_lock us, longest wait $waited_for_lock us; with a snapshot: held $hold us, longest wait $wait us" | tee figures
[ $((hold * 3)) -lt "$with_lock" ] || fail "the lock is held for $hold us for a snapshot, $with_lock us for the report"
