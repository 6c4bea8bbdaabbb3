#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares what stap --cost says of each tool with what its probes take on the loads of the guest test tool/samples, in a guest whose clock counts
# instructions. Takes an hour.
#   catalogue.sh [--check] [--again] [RELEASE]
#     --check    fails if a handler's prediction is not within 30 % of what was counted
#     --again    compares the ledgers of the last run once more, without a guest
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=${TAPIR_BIN:-$root/build/bin}
check=() again=0
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=(--check) ;;
    --again) again=1 ;;
    *) break ;;
    esac
    shift
done
release=$("$bin/stap-vm" --print-kernel ${1:+-k "$1"} | sed -n 's/^release //p')
if [ $again = 0 ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$(command -v qemu-system-x86_64)" >"$work/qemu-system-x86_64"
    chmod +x "$work/qemu-system-x86_64"
    PATH=$work:$PATH TAPIR_PATIENCE=20 "$root/testsuite/vm/run.sh" -k "$release" --no-retry --cpus 2 tool/samples
fi
python3 "$root/testsuite/vm/tool/_samples.py" words |
    python3 "$here/catalogue.py" "$root/build/guest-tests/$release/tool/samples" "$bin/stap" "$release" "${check[@]}"
