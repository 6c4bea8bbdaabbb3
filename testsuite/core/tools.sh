#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The tools for cores on a process that has said what they must find, with each of their options.
#
# Usage: tools.sh BIN [SAMPLES]
#   SAMPLES: a folder for what the tools print as text, NAME.txt each (devel/tool-samples)
BIN=$1
samples=${2:-}
. "$(dirname "$0")/lib.sh"
tools=$here/../../tools

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
    run_stap -w "$tools"/*/"$name.stp" --core "$core" "$@"
    [ "$status" = 0 ] || fail "$name: $err"
    [ -z "$samples" ] || [[ " $* " = *" --format"* ]] || [ -e "$samples/$name.txt" ] || {
        local words=
        [ $# = 0 ] || words=$(printf ' %s' "${@@Q}")
        printf '$ stap run %s --core core%s\n%s\n' "$name" "$(sed -E "s/'([^ ']*)'/\1/g" <<<"$words")" "$out" | sed "s|$work/||g" >"$samples/$name.txt"
    }
}
# rows NAME TABLE ARGUMENT...: the rows of one of a tool's tables, as CSV without the time; TABLE is "" if the tool has no other.
rows() {
    local name=$1 table=$2
    shift 2
    tool "$name" --format=csv "$@"
    out=$(tr -d '\r' <<<"$out" | awk -F, -v table="$table" 'table == "" { if (NR > 1) { sub(/^[^,]*,/, ""); print } }
        $1 == table && $2 !~ /^t / { sub(/^[^,]*,[^,]*,/, ""); print }')
}

rows deadlock ''
expect "who waits for whom" "$(sort -n <<<"$forwards,$second,$backwards
$backwards,$first,$forwards
$outside,$first,$forwards")" "$out"
tool deadlock
low=$((forwards < backwards ? forwards : backwards)) high=$((forwards < backwards ? backwards : forwards))
expect "the circle" "deadlock: $low -> $high -> $low" "$(grep '^deadlock' <<<"$out")"
grep -q 'outside+0x' <<<"$out" || fail "the stacks of those who wait: $out"
tool deadlock --no-stacks
expect "no stacks" "" "$(grep '+0x' <<<"$out")"
run_stap -p2 "$tools/cores/deadlock.stp" -p "$pid"
grep -q 'frames are looked at in what stands still' <<<"$err" || fail "deadlock in the kernel: $status, $out$err"

tool listwalk good 'struct item' next
expect "a list" "3 elements" "$(tail -n 1 <<<"$out")"
grep -q '^2 0x.*number=20' <<<"$out" || fail "its elements: $out"
tool listwalk circle 'struct item' next
grep -qE '^a circle: behind element 6 comes element 2 at 0x[0-9a-f]+ again$' <<<"$out" || fail "a circle: $out"

# 500 times malloc(5000), which takes 5008 bytes.
tool heap -n 5
rows heap sizes
grep -q '^5008,500,2504000,' <<<"$out" || fail "pieces of the heap: $out"
rows heap sizes -n 1
expect "the size that takes most" "5008,500,2504000" "${out%,*}"
rows heap heap
# All pieces together are at least those.
awk -F, '$2 < 2504000 || $3 < 500 { exit 1 }' <<<"$out" || fail "the heap: $out"

# The program has lost the pointers to three of them.
tool heapleaks
rows heapleaks heap
expect "lost pieces" "15024,3" "${out%,*}"
rows heapleaks sizes -n 1
expect "which pieces are lost" "5008,3,15024" "${out%,*}"

tool heapstrings --min 90
# texts LEAST ROWS: their lengths and beginnings
texts() {
    rows heapstrings texts --min="$1" --rows="$2"
    sed -nE 's/^([0-9]+),0x[0-9a-f]+,"*(aaa|bbb|ccc).*/\1 \2/p' <<<"$out"
}
expect "long texts" "200 ccc
150 bbb
100 aaa" "$(texts 90 20)"
expect "the longer ones" "200 ccc
150 bbb" "$(texts 101 20)"
expect "the longest" "200 ccc" "$(texts 90 1)"

tool stacks
grep -q '^1 thread, the first is' <<<"$out" || fail "stacks by threads: $out"
tool stacks -n 1
expect "one stack" 1 "$(grep -c ', the first is ' <<<"$out")"
tool crash
grep -q 'unused=0x0' <<<"$out" || fail "variables of a report: $out"
tool crash --no-variables
grep -q '^thread ' <<<"$out" && ! grep -q 'unused=' <<<"$out" || fail "a report without variables: $out"

# ---- nginx, or what looks like it; ways.sh has the real one, and jemalloc

run_stap --core "$core" -e 'probe process.snapshot { try { println(nginx_connection_count()) } catch (why) { println(why) } }'
expect "nginx without nginx" "the debug information of nginx is needed, on Debian it is in package nginx-dbgsym" "$out"
run_stap --core "$core" -e 'probe process.snapshot { try { println(jemalloc_regions(0, 0)) } catch (why) { println(why) } }'
expect "jemalloc without jemalloc" "the debug information of jemalloc 5.3 is needed, on Debian it is in package libjemalloc2-dbgsym" "$out"
gcc -g -Wl,--build-id "$here/ngx_cycle.c" -o "$work/nginx" || fail "it cannot be compiled"
start nginx
gcore_of "$pid"
tool ngx-active
rows ngx-active configuration
expect "the configuration of nginx" "100,900,0" "$out"
rows ngx-active requests --rows 1
expect "requests of nginx" "0,GET,700,1300,1,/path" "$out"
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
    tool pystack
    expect "the stack of Python" "thread $pid
 inner (sleeps.py:6)
 outer (sleeps.py:10)
 <module> (sleeps.py:13)" "$(sed "s|$work/||" <<<"$out")"
fi

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
