#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on one process in three ways: as it stands still (--snapshot=stop), on GDB's core and on the kernel's core of it. The output is the
# same, byte for byte. testsuite/vm/snapshot/ways.sh adds the kernel's own look.
#
# Usage: ways.sh BIN [TOOL...]     with tools, these alone. PROGRAMS=DIR in the environment: where their programs are, or are built.
BIN=$1
shift
. "$(dirname "$0")/lib.sh"
sources=$here/ways
PROGRAMS=${PROGRAMS:-$work/programs}
. "$sources/targets.sh"
make_small_programs || exit 1
[ $# != 0 ] || "$sources/build.sh" "$PROGRAMS" || echo "Without programs that could not be built."
cd "$work" && ulimit -c unlimited || exit 1

# look HOW OPTION...: each tool of the target; its output is in TOOL.HOW.
look() {
    local how=$1 tool
    shift
    for tool in $tools; do
        run_stap -w -DMAXSTRINGLEN=1024 "$@" "$(tool_file "$tool")"
        [ "$status" = 0 ] || fail "$tool, $how: $err"
        printf '%s\n' "$out" >"$work/$tool.$how"
    done
}

ways=0
for target in $(printf '%s\n' $TOOLS | cut -d: -f2 | uniq); do
    tools=
    for one in $TOOLS; do
        [ "${one#*:}" = "$target" ] || continue
        [ $# = 0 ] || [[ " $* " = *" ${one%:*} "* ]] || continue
        tools="$tools ${one%:*}"
    done
    [ -n "$tools" ] || continue
    case $target in
    own | tools) ;;
    *) has_target "$target" || { echo "Not here: $target"; continue; } ;;
    esac
    begin_target "$target" || fail "$target does not get ready: $(cat errors)"
    started="$started $pid $client"
    look stop -x "$pid" --snapshot
    gcore_of "$pid"
    look gcore --core "$core"
    core_of_target
    [ -z "$core" ] || look kernel --core "$core"
    # jemalloc's own statistics.
    case $target in
    jemalloc*) [ ! -f "$work/jemalloc-stats.stop" ] || expect "$target: its statistics" "$(grep -v ready ready)" "$(cat "$work/jemalloc-stats.stop")" ;;
    esac
    for tool in $tools; do
        [ "$(grep -c . "$work/$tool.stop")" -gt 1 ] || fail "$tool says nothing: $(cat "$work/$tool.stop")"
        for how in gcore kernel; do
            [ -f "$work/$tool.$how" ] || continue
            expect "$tool: $how" "$(cat "$work/$tool.stop")" "$(cat "$work/$tool.$how")"
            ways=$((ways + 1))
        done
    done
    end_target
done
echo "$ways comparisons"
[ "$ways" -gt 0 ] || fail "nothing was compared"

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
