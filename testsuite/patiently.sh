# SPDX-License-Identifier: GPL-2.0-or-later
# Waiting in shell tests on the host. Sourced by them. Cases in a guest have `eventually` (vm/lib.sh).

patience=$("$(dirname "${BASH_SOURCE[0]}")/patience.sh")

# patiently SECONDS COMMAND...: succeeds once the command does, fails after that time, or as many times as long as this machine is slow.
patiently() {
    local end=$((SECONDS + $1 * patience))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { echo "not within the time: $*"; return 1; }
        sleep 0.1
    done
}
