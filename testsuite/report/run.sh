#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh BUILD: the pictures of stap-report in a browser. Needs chromium, node and modules of npm, which it fetches into BUILD/pages; where they
# cannot be had the tests are skipped. Ends with "# N passed, N failed[, N skipped]".
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
. "$here/../../tools/packages.sh"

skip() {
    echo "ok - pages # SKIP needs a browser and modules of npm: $1"
    echo "# 0 passed, 0 failed, 1 skipped"
    exit 0
}

# By their programs: these may have come from elsewhere than Debian, some of them in one package.
missing=()
for program in chromium node npm; do
    command -v $program >/dev/null || missing+=("${TAPIR_PAGE_PACKAGES[$program]}")
done
install_packages "${missing[@]}" >"$build/pages.log" 2>&1 || skip "$(tail -n 1 "$build/pages.log")"
mkdir -p "$build/pages"
cp "$here/package.json" "$build/pages"
[ -d "$build/pages/node_modules/puppeteer-core" ] ||
    (cd "$build/pages" && timeout 300 npm install --no-audit --no-fund) >"$build/pages.log" 2>&1 || skip "$(tail -n 1 "$build/pages.log")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node "$here/pages.mjs" "$build/pages" "$build/bin" "$work"
