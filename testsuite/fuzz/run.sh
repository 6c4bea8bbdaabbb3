#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a fuzzer for so many seconds on its seeds, with its dictionary; findings are left in the working directory.
#   run.sh build-sanitize/bin/fuzz_NAME SECONDS
set -eu
fuzzer=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$fuzzer")
name=${name#fuzz_}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
arguments=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1)
dictionary=$here/${name#*_}.dict
[ -f "$dictionary" ] && arguments+=(-dict="$dictionary")
folders=("$work/found" "$work/seeds")
mkdir "$work/found"
"$(dirname "$fuzzer")/make_seeds" "$name" "$work/seeds"
[ -d "$here/corpus/$name" ] && folders+=("$here/corpus/$name")
"$fuzzer" "${arguments[@]}" "${folders[@]}"
