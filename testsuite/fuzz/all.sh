#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# all.sh BUILD: every fuzzer of a sanitizers' build for TAPIR_FUZZ_SECONDS (10), as many at once as there are processors, then mutants of real
# scripts. A fuzzer that fails leaves its log and input in BUILD/fuzz. Ends with "# N passed, N failed, 0 skipped".
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
logs=$build/fuzz
mkdir -p "$logs"
passed=0 failed=0

# result NAME STATUS
result() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok - $1"
    else
        failed=$((failed + 1))
        echo "not ok - $1"
        tail -n 60 "$logs/$1.log" | sed 's/^/# /'
    fi
}

free=$(nproc)
declare -A running=()
for fuzzer in "$build"/bin/fuzz_*; do
    [ -x "$fuzzer" ] || continue
    [ "$free" -gt 0 ] && free=$((free - 1)) || wait -n
    name=$(basename "$fuzzer")
    "$here/run.sh" "$fuzzer" "${TAPIR_FUZZ_SECONDS:-10}" >"$logs/$name.log" 2>&1 &
    running[$name]=$!
done
for name in "${!running[@]}"; do
    wait "${running[$name]}"
    result "$name" $?
done
"$build/bin/mutate_scripts" -count 5000 -compile 25 -keep "$logs" >"$logs/mutants.log" 2>&1
result mutants $?
echo "# $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
