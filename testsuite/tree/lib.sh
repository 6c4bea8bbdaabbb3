# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh SOURCE CHECK: sourced by the tests of devel/CHECK. The current directory becomes a tree of its own for the check; results as
# testsuite/vm/expect.sh has them.
check=$1/devel/$2
. "$1/testsuite/vm/expect.sh" || exit 2
mkdir "${work:?}/tree" && cd "$work/tree" && git init -q . || exit 1

# file PATH: writes its standard input to the file.
file() { mkdir -p "${1%/*}" && cat >"$1"; }
# run OPTIONS: keeps the output of the check and its status for expect.
run() {
    git add -A
    "$check" --root . "$@" >"$work/out" 2>&1
    echo "status $?" >>"$work/out"
}
