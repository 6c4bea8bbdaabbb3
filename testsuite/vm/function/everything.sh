# SPDX-License-Identifier: GPL-2.0-or-later
# Every function of the kernel that may be probed is, under load, for SECONDS (default 10); attaching and detaching is quick.
#: requires: debug-info
#: timeout: 400
#: host: "$STAP" -p4 -r "$R" -m everything -e 'global n probe kernel.function("*").call { n <<< 1 } probe timer.s($1) { exit() } probe end { printf("hits %d\n", @count(n)) }' ${SECONDS_OF_LOAD:-10} >/dev/null
#: host: "$STAP" -p4 -r "$R" -m many -e 'global n, at, armed probe begin { at = gettimeofday_ns() } probe kernel.function("*@fs/*.c").call, kernel.function("*@net/*.c").call { n <<< 1 } probe timer.ms(1) { if (!armed) armed = gettimeofday_ns() } probe timer.s(1) { at2 = gettimeofday_ns(); printf("armed in %d ms\n", (armed - at) / 1000000); at = at2; exit() } probe end { printf("disarmed in %d ms\nhits %d\n", (gettimeofday_ns() - at) / 1000000, @count(n)) }' >/dev/null
for i in 1 2; do (while :; do cat /proc/self/status /etc/hostname; ls -lR /sys/kernel; done) >/dev/null 2>&1 & done

for module in many everything; do
    begun=$(date +%s%N)
    "$STAPRUN" "$module.ko" --ledger=ledger.json >out 2>err || { cat err; fail "$module ended badly"; }
    milliseconds=$((($(date +%s%N) - begun) / 1000000))
    cat out err
    hits=$(sed -n 's/^hits //p' out)
    attached=$(grep -o '"attached": *[0-9]*' ledger.json | awk '{ n += $2 } END { print n }')
    echo "$module: $attached functions, $hits hits, $milliseconds ms with loading and removal"
    [ "$hits" -gt 1000 ] || fail "$module: $hits hits"
    [ "$attached" -gt 4000 ] || fail "$module: only $attached functions"
done
kill %1 %2
