#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# House rules that a program can check. Prints every violation; status 1 if there is any.
set -u
cd "$(dirname "$0")/.."
status=0

complain() {
    echo "$1"
    status=1
}

for file in $(git ls-files '*.cc' '*.h' '*.c' '*.ll' '*.yy' '*.stp' '*.stpm' '*.sh' quickstart check .ci/run 'docs/man/*' |
    grep -v '^testsuite/.*\.stp$\|^testsuite/fuzz/corpus/\|^testsuite/native/\|^testsuite/fixtures/'); do
    head -n 4 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || complain "$file: no licence line"
done

# Kernel headers are for kmod/ only; emitted C and the portable runtime use the port.
for file in $(git grep -l '#include <linux/' -- '*.c' '*.h' '*.cc' |
    grep -v '^kmod/\|^runtime/include/tapir/types.h$\|^translator/vm/\|^translator/build/features.cc$\|^staprun/\|^testsuite/'); do
    complain "$file: includes a kernel header"
done

# Version numbers of the kernel decide nothing. A user's script may ask for them: a test includes what it needs for that.
for file in $(git grep -l 'LINUX_VERSION_CODE\|KERNEL_VERSION(' -- kmod runtime translator tapsets unwind machine staprun trust server testsuite/vm \
    ':!testsuite/vm/language/kernel_headers_included.stp'); do
    complain "$file: asks for the kernel's version instead of for what it has"
done

# Every source file of a module is compiled once: in one part or alone.
compiled=$({
    git grep -hoE '^#include "(kmod|runtime)/[^"]*\.c"' -- kmod/parts | cut -d '"' -f 2
    grep -oE '(kmod|runtime)/[a-z_]+\.o' kmod/Kbuild | sed 's/o$/c/'
})
for file in $(git ls-files 'kmod/*.c' 'runtime/*.c' | grep -v '^kmod/parts/\|^runtime/host/'); do
    times=$(grep -cxF "$file" <<<"$compiled")
    [ "$times" = 1 ] || complain "$file: compiled $times times, by kmod/parts and by its name in kmod/Kbuild"
done

# No two files of a module need each other: docs/internals.md has the order in which they are read.
circles=$(tools/check-circles 2>&1) || complain "$circles"

for file in $(git ls-files | grep -E '\.(o|ko|a|so|cmd|orig|rej)$|^build(-[a-z]+)?/'); do
    complain "$file: generated"
done
[ -z "${CI:-}" ] || [ -z "$(git status --porcelain --untracked-files=normal)" ] || {
    git status --short
    complain "the build or the tests left files in the tree"
}
exit $status
