#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For testsuite/vm/snapshot/ways.sh: makes of each tool whose target is here a module (TOOL.ko) and a program that stands alone
# (TOOL_still), in the working directory, with _ for -. `targets` gets the targets, a line each, with their tools.
#
# Usage: prepare.sh STAP RELEASE PROGRAMS
set -eu
stap=$1 release=$2
mkdir -p "$3"
PROGRAMS=$(cd "$3" && pwd)
sources=$(cd "$(dirname "$0")" && pwd)
. "$sources/../../patiently.sh"
. "$sources/targets.sh"
make_small_programs
options="-w -DMAXSTRINGLEN=1024"

# Functions for nginx look at the one along PATH.
PATH=$PROGRAMS/nginx/sbin:$PATH
: >targets
for target in own python nginx redis sqlite luajit jemalloc-static; do
    [ "$target" = own ] || has_target "$target" || continue
    rm -rf "$target.runs"
    begin_target "$target"
    tools=
    for one in $TOOLS; do
        [ "${one#*:}" = "$target" ] || continue
        tool=${one%:*}
        tools="$tools $tool"
        (
            cd ..
            "$stap" -p4 -r "$release" $options -x "$pid" -m "${tool//-/_}" "$(tool_file "$tool")"
            "$stap" -p4 --runtime=process $options -x "$pid" --snapshot -m "${tool//-/_}_still" "$(tool_file "$tool")"
        ) >/dev/null
    done
    end_target
    rm -rf "$target.runs"
    echo "$target$tools" >>targets
done
