#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# quickstart.sh QUICKSTART: runs it in a tree of its own, with programs that stand for cmake, ninja, apt-get and what is built.
set -u
. "$(dirname "$0")/../patiently.sh"
quickstart=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/fakes"
failed=0

make_tree() {
    rm -rf "$work/tree" && mkdir -p "$work/tree/devel" "$work/tree/common" && cd "$work/tree" || exit 1
    cp "$quickstart" quickstart
    echo 'TAPIR_BUILD_PACKAGES=for-building TAPIR_GUEST_PACKAGES=for-guests; install_packages() { echo "packages: $*"; }' >devel/packages.sh
    seq 1000 >common/one.cc
    seq 2000 >common/two.cc
    cp common/one.cc common/other.cc
    printf '#include "common/two.cc"\n#include "common/other.cc"\n' >common/unit.cc
}
fake() { { echo '#!/bin/bash'; cat; } >"$work/fakes/$1" && chmod +x "$work/fakes/$1"; }

fake ninja <<END
for object in one unit generated; do echo "/usr/bin/c++ -O2 -MF \$object.d -o common/\$object.o -c $work/tree/common/\$object.cc"; done
echo '/usr/bin/cc -o plain.o -c $work/tree/common/one.c'
echo ': && ar qc lib.a common/one.o'
END
# Each object waits until the share that the ones before it make is told.
fake cmake <<'END'
. "$PATIENTLY"
echo "cmake $*" >>calls
told() { grep -q "$1" ../out; }
mkdir -p build/bin build/common build/packages
case "$*" in
*' stap-vm stap-vm-agent '* | *' all')
    touch build/common/one.o build/common/generated.o
    patiently 60 told '^Building: 51 %' || exit 1
    printf '#!/bin/sh\necho "fetched: $*" >>calls\n' >build/bin/stap-vm
    printf '#!/bin/sh\necho "script: $*"\n' >build/bin/stap
    chmod +x build/bin/*
    ;;&
*' all' | *' stap staprun '*)
    [ -z "${FAIL-}" ] || { echo 'no such header' && exit 1; }
    touch build/common/unit.o
    patiently 60 told '^Building: 100 %' || exit 1
    ;;
*' packages') touch build/packages/tapir.deb ;;
esac
END
fake apt-get <<'END'
echo "apt-get $*"
END
fake uname <<'END'
echo no-such-kernel
END
fake id <<'END'
echo 0
END

run() { PATH=$work/fakes:$PATH PATIENTLY="$(dirname "$quickstart")/testsuite/patiently.sh" bash ./quickstart "$@" >../out 2>&1; }
expect() { # NAME CONDITION...
    local name=$1
    shift
    if "$@"; then
        echo "ok $name"
    else
        echo "not ok $name"
        sed 's/^/# /' "$work/out"
        failed=1
    fi
}
says() { grep -q -- "$1" "$work/out"; }

make_tree
expect 'builds, and runs a first script' run
expect 'shares are those of sizes' says '^Building: 51 %'
expect 'what a guest needs is installed' says '^packages: for-building for-guests$'
expect 'a script runs in a guest' says '^script: --vm .*tools/files/readsizes.stp$'
expect "the guest's kernel is fetched" grep -qx 'fetched: --print-kernel --headers' calls
expect 'no log stays' test ! -e build/quickstart.log

make_tree
FAIL=1 run
expect 'a build that fails has a status' test $? -eq 1
expect 'its log is shown' says '^no such header$'
expect 'and kept' grep -q 'no such header' build/quickstart.log

make_tree
expect 'packages are installed' run --install
expect 'by apt' says '^apt-get install -y --reinstall ./build/packages/tapir.deb$'
expect 'without what only guests need' says '^packages: for-building$'
run --instal
expect 'other options are refused' test $? -eq 2
exit $failed
