# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts that try things from the host's side: $work, a folder that goes with them, and results in the Test Anything Protocol,
# of which $number have been told and $failed were bad.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# expect WHAT OUTPUT: what is in $work/out.
expect() {
    number=$((number + 1))
    local ok=
    [ "$(<"$work/out")" = "$2" ] || ok='not '
    echo "${ok}ok $number - $1"
    [ -n "$ok" ] || return 0
    failed=$((failed + 1))
    diff <(echo "$2") "$work/out" | sed 's/^/#   /'
}
