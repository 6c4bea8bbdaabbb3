#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A build server on loopback, from the outside: what clients get, what attackers get, what is left when things break. Answers are validated
# against its OpenAPI description. Ends with "# N passed, N failed, N skipped".
#   run.sh [--quick] [WORD...]    only tests whose names have one of the words; --quick leaves out those with a line "# long: REASON" before
#   run.sh --bench [SECONDS]      measures instead, with SECONDS (10) for each rate; exit status 1 if a bar is missed
# TAPIR_BIN and STAP_SERVER may name other programs than those that were built here; RELEASE another kernel whose headers are installed.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../build/bin}
server=${STAP_SERVER:-$bin/stap-server}
work=$(mktemp -d)
chmod 755 "$work"
cd "$work" || exit 2
pids=()
trap 'end_processes; remove_groups; rm -rf "$work"' EXIT
release=${RELEASE:-$(basename "$(dirname "$(ls -d /lib/modules/*/build | tail -n 1)")")}
passed=0 failed=0 skipped=0
. "$here/../patiently.sh"
. "$here/common.sh"
. "$here/service.sh"
. "$here/settings.sh"
. "$here/attacks.sh"
. "$here/client.sh"
. "$here/debug.sh"
. "$here/documentation.sh"
. "$here/endurance.sh"

reason=$(why_not)
tests=$(declare -F | sed -n 's/^declare -f test_//p')
if [ -n "$reason" ]; then
    for name in $tests; do echo "ok server/$name # SKIP $reason"; done
    echo "# 0 passed, 0 failed, $(wc -w <<<"$tests") skipped"
    exit 0
fi
make_authority
make_access
serve_programs
export SECRET=do-not-tell
run_to_file add.log "$server" --state="$work/state" --stap="$served" --add-kernel="$release" || {
    cat add.log
    echo "not ok server/add_kernel"
    echo "# 0 passed, 1 failed, 0 skipped"
    exit 1
}
start_server
if [ "${1-}" = --bench ]; then
    python3 "$here/bench.py" "$port" "$release" "${2:-10}" "$daemon"
    exit
fi
long=
if [ "${1-}" = --quick ]; then
    long=$(sed -n '/^# long: ./{n;s/^test_\(.*\)() {/\1/p}' "$here"/*.sh)
    shift
fi
for name in $tests; do
    ! grep -qxF "$name" <<<"$long" || continue
    begun=${EPOCHREALTIME/./}
    [ $# -eq 0 ] || grep -qE "$(tr ' ' '|' <<<"$*")" <<<"server/$name" || continue
    # Not as a condition: there, set -e would have no effect. A test's processes end with it, and its variables too.
    (
        set -e
        pids=()
        trap end_processes EXIT
        [ -z "${TRACE:-}" ] || set -x
        "test_$name"
    ) >log 2>&1
    status=$?
    seconds=$(((${EPOCHREALTIME/./} - begun) / 1000000))
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok server/$name # $seconds s"
    else
        failed=$((failed + 1))
        echo "not ok server/$name # $seconds s"
        tail -n 30 log | cut -c 1-600 | sed 's/^/# /'
    fi
done
echo "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
