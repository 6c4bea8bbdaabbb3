#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The variables of all frames of programs in C, C++ and Rust, with and without optimization, each in five states: as GDB has them.
# None may differ, and of those that GDB knows at most 3 % may be unknown.
#
# Usage: run.sh BIN [PROGRAM...]     with programs, such as c1-O2, these alone
BIN=$1
shift
. "$(dirname "$0")/../lib.sh"
. "$here/frames/compile.sh"

# The core of a program that has come to a state: sets core.
die() { # PROGRAM STATE
    core=$work/core.$1.$2
    case $(cat /proc/sys/kernel/core_pattern) in
        core*)
            rm -rf "$work/dead"
            crash "$1" "$2"
            [ -z "$core" ] || mv "$core" "$work/core.$1.$2"
            ;;
        *) gdb -batch -nx -iex "set auto-load off" -ex run -ex "generate-core-file $core" --args "$work/$1" "$2" >"$work/gdb.log" 2>&1 ;;
    esac
    core=$work/core.$1.$2
    [ -s "$core" ] || fail "$1 leaves no core in state $2"
}

# "TID FRAME DEPTH NAME VALUE" lines of what frames.stp prints.
lines_of() {
    python3 -I "$sources/lines.py"
}

total="0 0 0 0 0 0"
for program in ${*:-$all}; do
    compile "$program" || {
        fail "$program cannot be compiled"
        continue
    }
    for state in 1 2 3 4 5; do
        die "$program" "$state"
        [ -s "$core" ] || continue
        run_stap --core "$core" -DMAXSTRINGLEN=8192 "$sources/frames.stp"
        [ "$status" = 0 ] || fail "$program in state $state: $err"
        lines_of <<<"$out" >"$work/here"
        gdb -batch -nx -iex "set auto-load off" "$work/$program" "$core" -x "$sources/frames.py" >"$work/there" 2>"$work/gdb.err"
        python3 -I "$sources/compare.py" "$work/here" "$work/there" >"$work/compared"
        sed "/^counts/d; s/^/$program $state: /" "$work/compared"
        grep -q "^different" "$work/compared" && fail "$program in state $state differs"
        total=$(awk -v old="$total" '/^counts/ { n = split(old, all, " "); for (i = 1; i <= n; i++) printf "%d ", all[i] + $(i + 1) }' \
            "$work/compared")
        rm -f "$core"
    done
done
read -r equal different neither here there whole <<<"$total"
echo "equal $equal, different $different, unknown to both $neither, only to GDB known $here, only here $there; whole structures $whole"
[ "$equal" -gt 0 ] || fail "nothing was compared"
[ $((here * 100)) -le $(((equal + here) * 3)) ] || fail "more than 3 % are unknown here and known there"

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
