#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The variables of all frames of programs that live (--snapshot), as on GDB's core of the same process at the same place.
#
# Usage: living.sh BIN [PROGRAM...]     with programs, such as c1-O2, these alone, each in one state
BIN=$1
shift
. "$(dirname "$0")/../lib.sh"
. "$here/frames/compile.sh"
gcc -O2 -shared -fPIC -o "$work/stay.so" "$sources/stay.c" || exit 1

# All threads wait for good: none of them can be between two places.
rests() {
    local task
    for task in /proc/"$1"/task/*; do
        [ "$(sed -n 's/^State:\s*\(.\).*/\1/p' "$task/status")" = S ] || return 1
    done
    grep -q '^34 ' /proc/"$1"/task/*/syscall # pause()
}

states="1 2 3 4 5"
[ $# = 0 ] || states=3
compared=0
for program in ${*:-$all}; do
    compile "$program" || {
        fail "$program cannot be compiled"
        continue
    }
    for state in $states; do
        LD_PRELOAD=$work/stay.so "$work/$program" "$state" >/dev/null &
        pid=$!
        started="$started $pid"
        patiently 20 rests "$pid" || fail "$program does not rest in state $state"
        gcore_of "$pid"
        run_stap --core "$core" -DMAXSTRINGLEN=8192 "$sources/frames.stp"
        of_core=$(sort <<<"$out")
        [ "$status" = 0 ] && [ -n "$of_core" ] || fail "$program in state $state, its core: $err"
        run_stap -x "$pid" --snapshot -w -DMAXSTRINGLEN=8192 "$sources/frames.stp"
        [ "$status" = 0 ] || fail "$program in state $state: $err"
        expect "$program in state $state" "$of_core" "$(sort <<<"$out")"
        compared=$((compared + $(grep -c . <<<"$out")))
        kill "$pid"
        rm -f "$core"
    done
done
echo "$compared frames compared"
[ "$compared" -gt 0 ] || fail "nothing was compared"

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
