#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures how much --merge takes of one core and of memory for many hosts. The hosts are simulated: a stand-in of ssh plays records that a program made.
#     testsuite/bench/fleet.sh [--check] [HOSTS [ROWS]]
# 1,000 hosts of 400 rows unless told, with the kernel of $FLEET_RELEASE or of stap-vm. Prints figures of stap alone, without the stand-ins. With --check the report must be that which another
# program makes of the same records, and memory must stay below 300 MB.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/../../build/bin" && pwd)
check=
[ "${1:-}" = --check ] && { check=1; shift; }
hosts=${1:-1000} rows=${2:-400}
work=$(mktemp -d /tmp/tapir-fleet-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work/records"
python3 "$here/../remote/fleet.py" make "$work/records" "$hosts" "$rows" 7
for file in "$work"/records/*.records; do basename "$file" .records; done >"$work/hosts"
FLEET=$work/records FLEET_VERSION=$("$bin/staprun" --version)
FLEET_RELEASE=${FLEET_RELEASE:-$("$bin/stap-vm" --print-kernel | sed -n 's/^release //p')}
export FLEET FLEET_VERSION FLEET_RELEASE
status=0
"$bin/stap" --remote=@"$work/hosts" --remote-ssh="$here/../remote/player.sh" --merge --format=json -v -o "$work/report" \
    -e 'probe begin { exit() }' 2>"$work/err" || status=$?
cost=$(sed -n 's/^merged //p' "$work/err")
[ "$status" = 0 ] && [ -n "$cost" ] || { tail -n 20 "$work/err"; exit 1; }
echo "$hosts hosts of $rows rows, 100 at a time: $cost"
[ "$check" ] || exit 0
python3 "$here/../remote/fleet.py" judge "$work/records" "$work/report"
memory=$(sed -n 's/.* at most \([0-9]*\) kB$/\1/p' <<<"$cost")
[ "$memory" -lt 300000 ] || { echo "it took $memory kB of memory"; exit 1; }
