# SPDX-License-Identifier: GPL-2.0-or-later
#: append: mem=512M
# The memory that a script asks for is summed up and compared with the machine's before any of it is allocated; no process is killed,
# and a script that fits works. Arming ends when it is told to.
# Tags: AsksTooMuchMemory.
#: host: "$STAP" -p4 -r "$R" -m returns -e 'probe kernel.function("se*").return.maxactive(65535) { } probe begin { println("begun") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m one -e 'global a%[1000000] probe begin { a[1]++; println(a[1]); exit() }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m loud -e 'global a%[1000000] probe begin { a[1]++ } probe timer.profile { println(a[1]) }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m four -e 'global a%[1000000], b%[1100000], c%[1000000], d%[1000000] probe begin { a[1] = b[1] = c[1] = d[1]++; println(a[1] + b[1] + c[1]); exit() }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m many -e 'global n probe kernel.function("se*").return { n <<< 1 } probe begin { println("begun") }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m deep -DMAXSTRINGLEN=65536 -DMAXNESTING=2000 -e 'function f(n, s) { return n ? f(n - 1, s . "x") : strlen(s) } probe begin { println("begun"); println(f(3, "")) }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m deepest -DMAXSTRINGLEN=65536 -DMAXNESTING=100000 -e 'function f(n, s) { return n ? f(n - 1, s . "x") : strlen(s) } probe begin { println("begun"); println(f(3, "")) }' >/dev/null
#: host: "$STAP" -r "$R" -l 'kernel.function("se*").return' | wc -l >functions
#: timeout: 120
available() { awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo; }
# refuses PART OPTIONS...
refuses() {
    local part=$1 before status=0
    before=$(available)
    "$STAPRUN" "${@:2}" >out 2>err || status=$?
    cat out err
    is_equal "status of ${*:2}" $status 1
    [ ! -s out ] || fail "${*:2}: a handler ran"
    read -r asked spare largest < <(sed -nE "s/^ERROR: the script asks for ([0-9]+) MB of memory, and this machine can spare ([0-9]+) MB; $part takes ([0-9]+) MB of them: [a-z].*/\1 \2 \3/p" err) || :
    [ "${largest:-0}" -gt 0 ] || fail "${*:2}: it does not say what asks for most"
    [ "$asked" -ge "$largest" ] && [ "$asked" -ge "$spare" ] || fail "${*:2}: $asked MB asked for, $spare MB there, $largest MB at most"
    [ "$spare" -gt $((before / 4)) ] && [ "$spare" -le "$before" ] || fail "${*:2}: $spare MB of $before MB can be spared"
}
refuses 'the probe at [^;]*:1:[0-9]+' returns.ko
[ "$largest" -gt 2000 ] || fail "only $largest MB"
for module in deep.ko deepest.ko; do
    refuses 'the variables of handlers' $module
    [ "$largest" -gt 1000 ] || fail "$module: only $largest MB"
done
is_equal 'an array that fits' "$("$STAPRUN" one.ko)" 1
refuses 'the array b' four.ko
refuses 'the buffers of output' loud.ko -s $((spare / 4 - 2))

total=$(<functions)
[ "$total" -gt 500 ] || fail "only $total functions"
"$STAPRUN" many.ko --ledger=many.json >out 2>err &
pid=$!
eventually 20 grep -q begun out
kill -INT $pid
wait $pid || fail "$(cat err)"
attached=$(grep -o '"attached": [0-9]*' many.json | head -n 1 | sed 's/.* //')
echo "$attached of $total attached"
[ "$attached" -lt $((total / 2)) ] || fail "$attached of $total places were still attached"
