# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the cases of this folder share; they source this file.

# Reads and writes of one byte on every CPU until the case ends.
make_load() {
    local cpu
    for cpu in $(seq "$(nproc)"); do
        (while :; do dd if=/dev/zero of=/dev/null bs=1 count=2000; done) </dev/null >/dev/null 2>&1 &
        load_pids="${load_pids:-} $!"
    done
}

end_load() {
    [ -z "${load_pids:-}" ] || kill $load_pids
    load_pids=
}

# ledger_sum FILE records|bytes FIELD: over all streams of a JSON ledger.
ledger_sum() {
    grep '"stream":' "$1" | sed "s/.*\"$2\": {\([^}]*\)}.*/\1/; s/.*\"$3\": \([0-9]*\).*/\1/" | awk '{ sum += $1 } END { print sum + 0 }'
}

# The ledger adds up, in records and in bytes.
is_balanced() {
    local unit
    grep -q '"balanced": true' "$1" || fail 'the ledger does not balance'
    for unit in records bytes; do
        is_equal "the sum of $unit" \
            $(($(ledger_sum "$1" $unit delivered) + $(ledger_sum "$1" $unit dropped) + $(ledger_sum "$1" $unit left))) \
            "$(ledger_sum "$1" $unit produced)"
    done
}

is_loaded() { grep -q "^$1 " /proc/modules; }
is_gone() { ! is_loaded "$1" && [ ! -e "/proc/tapir-$1" ]; }

# Runs a command, leaves its exit status in $status.
run() {
    status=0
    "$@" || status=$?
}

# Waits for a background process, leaves its exit status in $status.
wait_for() {
    status=0
    wait "$1" || status=$?
}

# starts FILE: the output of a session has begun to arrive there.
starts() { eventually 30 test -s "$1"; }

# ends_well STATUS FILE: a session that ended as it should, with its standard error in FILE. On a slow machine some of a flood may be lost, and
# staprun may add to it; it says both.
ends_well() {
    ! grep -v "^WARNING: [0-9]* records of output were lost\\|^WARNING: staprun hits the script's probes\\|^ledger: " "$2" || fail 'unexpected messages'
    [ "$1" = 0 ] || { [ "$1" = 1 ] && [ -s "$2" ]; } || fail "exit status $1"
}
