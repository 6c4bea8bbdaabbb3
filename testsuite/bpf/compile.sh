#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes one BPF object of a script and the runtime, by clang.
#   compile.sh BUILD RELEASE OUTPUT SCRIPT [OPTION-OF-STAP...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 release=$2 output=$3 script=$4
shift 4
runtime=$root/runtime
"$build/bin/stap" -p3 -r "$release" "$@" "$script" >"$output.c"
# BPF calls no function by its pointer.
sed -i -E 's/\(([a-z0-9_>-]+) \? tapir_foreach_begin_snapshot : tapir_foreach_begin\)\((.*)\);/if (\1) tapir_foreach_begin_snapshot(\2); else tapir_foreach_begin(\2);/' "$output.c"
clang-19 -target bpf -mcpu=v4 -D__x86_64__=1 -O2 -Xclang -disable-llvm-passes -emit-llvm -c -nostdinc -isystem "$(clang-19 -print-resource-dir)/include" \
    -fno-builtin -I"$runtime/include" -I"$runtime" -I"$root" -Wno-unused "$output.c" -o "$output.bc"
mapfile -t bitcode < <(ls "$build"/bpf/bitcode/*.bc | grep -v '/testsuite_')
"$build/bin/tapir-bpf-compile" -o "$output" --absent "$output.absent" "$output.bc" "${bitcode[@]}"
