#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of examples/core on a process that has said what they must find.
#
# Usage: tools.sh BIN
BIN=$1
. "$(dirname "$0")/lib.sh"
tools=$here/../../examples/core

gcc -g -pthread -Wl,--build-id "$here/tools.c" -o "$work/tools" || exit 1
"$work/tools" >"$work/said" &
pid=$!
started=$pid
# Each is asleep in the lock that it has told of.
waits() { [ "$(cat /proc/"$pid"/task/*/syscall 2>/dev/null | grep -c '^202 ')" = 3 ] && [ "$(grep -c . "$work/said")" = 3 ]; }
patiently 20 waits || fail "the threads do not wait: $(cat "$work/said")"
gcore_of "$pid"
read -r forwards second <<<"$(awk '$1 == "forwards" { print $2, $3 }' "$work/said")"
read -r backwards first <<<"$(awk '$1 == "backwards" { print $2, $3 }' "$work/said")"
outside=$(awk '$1 == "outside" { print $2 }' "$work/said")

# tool NAME ARGUMENT...
tool() {
    local name=$1
    shift
    run_stap --core "$core" -w "$tools/$name.stp" "$@"
    [ "$status" = 0 ] || fail "$name: $err"
}

tool deadlock
expect "who waits for whom" "thread $forwards waits for mutex $second, which thread $backwards holds
thread $backwards waits for mutex $first, which thread $forwards holds
thread $outside waits for mutex $first, which thread $forwards holds" "$(grep ' waits for mutex' <<<"$out")"
low=$((forwards < backwards ? forwards : backwards)) high=$((forwards < backwards ? backwards : forwards))
expect "the circle" "deadlock: $low -> $high -> $low" "$(grep '^deadlock' <<<"$out")"
grep -q 'outside+0x' <<<"$out" || fail "the stacks of those who wait: $out"

tool list-walk good 'struct item' next
expect "a list" "3 elements" "$(tail -n 1 <<<"$out")"
grep -q '^2 0x.*number=20' <<<"$out" || fail "its elements: $out"
tool list-walk circle 'struct item' next
grep -qE '^a circle: behind element 6 comes element 2 at 0x[0-9a-f]+ again$' <<<"$out" || fail "a circle: $out"

# 500 times malloc(5000), which takes 5008 bytes.
tool heap-by-size
grep -qE '^ +5008 +500 +2504000 ' <<<"$out" || fail "pieces of the heap: $out"

# The program has lost the pointers to three of them.
tool heap-leaks
grep -q '^[0-9]* of [0-9]* bytes are lost, in 3 pieces$' <<<"$out" || fail "lost pieces: $out"
grep -q '^ *3 pieces of 5008 bytes, one is at 0x' <<<"$out" || fail "which pieces are lost: $out"

tool big-strings 90
expect "long texts" "200 ccc
150 bbb
100 aaa" "$(awk '$2 ~ /^0x/ && $3 ~ /^"(aaa|bbb|ccc)/ { print $1, substr($3, 2, 3) }' <<<"$out")"

tool threads
grep -q '^1 thread, the first is' <<<"$out" || fail "stacks by threads: $out"
tool crash-report
grep -q 'unused=0x0' <<<"$out" || fail "variables of a report: $out"

# ---- nginx, or what looks like it; ways.sh has the real one, and jemalloc

run_stap --core "$core" -e 'probe process.snapshot { try { println(nginx_connection_count()) } catch (why) { println(why) } }'
expect "nginx without nginx" "the debug information of nginx is needed, on Debian it is in package nginx-dbgsym" "$out"
run_stap --core "$core" -e 'probe process.snapshot { try { println(jemalloc_regions(0, 0)) } catch (why) { println(why) } }'
expect "jemalloc without jemalloc" "the debug information of jemalloc 5.3 is needed, on Debian it is in package libjemalloc2-dbgsym" "$out"
gcc -g -Wl,--build-id "$here/ngx_cycle.c" -o "$work/nginx" || fail "it cannot be compiled"
start nginx
gcore_of "$pid"
tool nginx-requests
expect "requests of nginx" "configuration: 100 bytes in its pool, 900 free, 0 large pieces
GET /path on connection 0: 700 bytes in its pool, 1300 free, 1 large pieces
1 requests" "$out"
run_stap --core "$core" -e 'probe process.snapshot { println(nginx_request(-1), nginx_request(4)) }'
expect "connections that there are not" 00 "$out"

# ---- Python

if [ -x /usr/bin/python3.11 ]; then
    cat >"$work/sleeps.py" <<'P'
import time


def inner(seconds):
    print("ready", flush=True)
    time.sleep(seconds)


def outer():
    inner(1000)


outer()
P
    /usr/bin/python3.11 "$work/sleeps.py" >"$work/ready" &
    pid=$!
    started="$started $pid"
    patiently 20 grep -q ready "$work/ready" || fail "Python does not get ready"
    gcore_of "$pid"
    tool python-stack
    expect "the stack of Python" "thread $pid
 inner (sleeps.py:6)
 outer (sleeps.py:10)
 <module> (sleeps.py:13)" "$(sed "s|$work/||" <<<"$out")"
fi

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
