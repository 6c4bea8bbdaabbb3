#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh BUILD: the pictures of stap-report in a browser. Needs chromium, node and modules of npm, which it fetches into BUILD/pages; where they
# cannot be had the tests are skipped. Ends with "# N passed, N failed[, N skipped]".
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
. "$here/../../devel/packages.sh"
. "$here/modules.sh"

fetch_modules "$build" || {
    echo "ok - pages # SKIP needs a browser and modules of npm: $(tail -n 1 "$build/pages.log")"
    echo "# 0 passed, 0 failed, 1 skipped"
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node "$here/pages.mjs" "$build/pages" "$build/bin" "$work"
