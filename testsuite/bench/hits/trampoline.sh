#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The effects of a trampoline at vfs_read (counter/direct_main.c) while a call that it began sleeps: shows that call's stack,
# the answer that BPF gets, and that the trampoline's module cannot go before the call ends. See "Returns by a trampoline" in
# docs/performance.md. Exit status 0: all as written there.
#   trampoline.sh [RELEASE]
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../../build/bin}
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
build=$(sed -n "s/^build //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$here"/counter/direct* "$work"
sed 's/counter.o//' "$here/counter/Makefile" >"$work/Makefile"
"$here/../../vm/make-module.sh" "$build" "$work" >/dev/null

cat >"$work/guest.sh" <<'END'
set -eu
failed() { echo "not as expected: $*"; exit 1; }
eventually() {
    for _ in {1..600}; do
        if "$@" 2>/dev/null; then return; fi
        sleep 0.1
    done
    failed "$*"
}
insmod ./direct.ko how=direct_both
mkfifo sleep
cat sleep >/dev/null &
reader=$!
exec 7>sleep
eventually grep -q direct_at_both "/proc/$reader/stack"
echo "A call that sleeps:"
cat "/proc/$reader/stack"

if command -v bpftrace >/dev/null; then
    echo "BPF's fexit at the same function:"
    if bpftrace -e 'kretfunc:vfs_read { exit(); }' 2>&1; then failed "BPF got the function"; fi
fi

echo "Removing the module:"
rmmod direct 7>&- &
remover=$!
eventually grep -q '^direct .* Unloading' /proc/modules
# Any number of calls that end do not help, and new ones do not go through the trampoline.
for _ in {1..20}; do head -c 1 /dev/zero >/dev/null; done
kill -0 "$remover" || failed "it went while a call was under way"
grep -q direct_at_both "/proc/$reader/stack" || failed "the call has left the trampoline"
echo "it waits for the call."
exec 7>&-
wait "$remover" "$reader"
! grep -q '^direct ' /proc/modules || failed "it is still there"
echo "The call has ended, and the module is gone."
dmesg | grep -E 'BUG|WARNING|Oops' && failed "the kernel's log"
true
END
"$bin/stap-vm" -k "$release" --accel tcg --cpus 4 --timeout 600 -- bash -c "cd $work && bash guest.sh"
