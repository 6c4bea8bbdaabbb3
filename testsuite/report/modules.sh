# SPDX-License-Identifier: GPL-2.0-or-later
# The programs that run pages in a browser. Sourced, not run; needs devel/packages.sh.

# fetch_modules BUILD: chromium, node, and modules of npm in BUILD/pages. BUILD/pages.log says why it failed.
fetch_modules() {
    local program missing=()
    # By their programs: these may have come from elsewhere than Debian, some of them in one package.
    for program in chromium node npm; do
        command -v $program >/dev/null || missing+=("${TAPIR_PAGE_PACKAGES[$program]}")
    done
    install_packages "${missing[@]}" >"$1/pages.log" 2>&1 || return 1
    mkdir -p "$1/pages"
    cp "$(dirname "${BASH_SOURCE[0]}")/package.json" "$1/pages"
    [ -d "$1/pages/node_modules/puppeteer-core" ] || (cd "$1/pages" && timeout 300 npm install --no-audit --no-fund) >"$1/pages.log" 2>&1
}
