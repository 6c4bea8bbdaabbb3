# SPDX-License-Identifier: GPL-2.0-or-later
# What grows while a session runs leaves the machine a sixteenth of its memory: arrays say that there is none to spare, calls of
# programs are missed, and both go on when others have given memory back. Nobody is killed.
#: append: mem=512M
#: long: memory fills up several times
#: host: "$STAP" -p4 -r "$R" -m grows -DMAXSTRINGLEN=1024 -DMAXMAPENTRIES=1000000 -DMAXERRORS=1000000 -e 'global paths, n probe timer.ms(20) { for (i = 0; i < 100; i++) { paths[sprintf("%0900d", n)] = 1; n++ } } probe timer.s(1) { println(n) }' >/dev/null
#: host: cc -O0 -g -fno-inline -o _reserve "$AREA/_reserve.c"
#: host: "$STAP" -p4 -r "$R" -m calls -DMAXSTRINGLEN=4096 -DMAXSKIPPED=1000000 -e 'global n probe process(@1).function("deep").return { if (@entry(sprintf("%d %4000d", $n, 1)) != "") n <<< 1 } probe begin { println("begun") } probe end { println(@count(n)) }' "$W/_reserve" >/dev/null
#: timeout: 240
meminfo() { awk -v name="$1:" '$1 == name { print int($2 / 1024) }' /proc/meminfo; }
reserve=$(($(meminfo MemTotal) / 16))
held=$(mktemp -d)
mount -t tmpfs -o size=100% none "$held"
# leave MB: others take memory until so much is available.
leave() {
    local i=0 more
    while more=$(($(meminfo MemAvailable) - $1)) && [ "$more" -gt 0 ]; do
        i=$((i + 1))
        [ $i -le 100 ] || fail "$more MB too many are available"
        head -c "$(((more + 1) / 2))M" /dev/zero >>"$held/memory" || fail 'nothing more fits into memory'
    done
}
leave_all() { rm -f "$held/memory"; }
count() { tail -n 1 out; }
says() { grep -q "^ERROR: Array overflow, no memory for more than [0-9]* elements of 'paths' .* ($1" err; }

leave $((reserve + 100))
"$STAPRUN" grows.ko >out 2>err &
pid=$!
eventually 20 test -s out
eventually 60 says 'all arrays take [0-9]* MB; they may take a quarter of the available memory)'
few=$(count)
leave $((reserve - 5))
eventually 60 says 'the machine has no memory to spare; all arrays take [0-9]* MB)'
leave_all
more_than() { [ "$(count)" -gt "$1" ]; }
eventually 60 more_than $((2 * few))
kill -INT $pid
wait $pid || :

# 4,000 calls keep 4 KB each.
"$STAPRUN" calls.ko --ledger=ledger.json >out 2>err &
pid=$!
eventually 20 grep -q begun out
leave $((reserve + 12))
./_reserve 4000
least=$(meminfo MemAvailable)
kill -INT $pid
wait $pid || fail "$(cat err)"
read -r followed back left inside missed <<<"$(grep '"calls": {' ledger.json | tr -c '0-9\n' ' ')"
grep '"calls": {' ledger.json
[ "$followed" = 4001 ] && [ $((back + missed)) = 4001 ] || fail 'not all are accounted for'
[ "$missed" -gt 1000 ] && [ "$back" -gt 100 ] || fail 'not at the bound'
leave_all
umount "$held"
[ "$least" -gt $((reserve - 10)) ] || fail "$least MB were left"
if dmesg | grep -i 'out of memory\|oom-kill'; then fail 'somebody was killed'; fi
