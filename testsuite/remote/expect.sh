# SPDX-License-Identifier: GPL-2.0-or-later
# expect WHAT ACTUAL EXPECTED: counts a test in `passed` or `failed`. The end of `err` in the folder `outer`, or `work`, follows a failure.
expect() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok - $1"
    else
        failed=$((failed + 1))
        printf 'not ok - %s\n' "$1"
        printf '# is:       %q\n# expected: %q\n' "$2" "$3"
        tail -n 20 "${outer:-$work}/err" 2>/dev/null | sed 's/^/# /'
    fi
}
