#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: client.sh BUILD. The language server of BUILD/bin/stap with a client of npm's modules, which are fetched into BUILD/editors; prints
# TAP.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:?usage: client.sh BUILD}" && pwd)
skip() {
    echo "1..0 # SKIP needs node and modules of npm: $1"
    exit 0
}
for program in node npm; do
    command -v $program >/dev/null || skip "no $program here"
done
mkdir -p "$build/editors" && cp "$here/package.json" "$build/editors" || exit 1
if [ ! -d "$build/editors/node_modules/vscode-languageserver-protocol" ]; then
    (cd "$build/editors" && timeout 300 npm install --no-audit --no-fund) >"$build/editors.log" 2>&1 ||
        skip "$(tail -n 1 "$build/editors.log")"
fi
patience=$("$here/../patience.sh")
work=$(mktemp -d "${TMPDIR:-/tmp}/tapir-editors.XXXXXX")
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work
[ -r /sys/kernel/btf/vmlinux ] && export HAVE_BTF=yes
timeout $((120 * patience)) node "$here/client.js" "$build/editors/node_modules" "$build/bin/stap"
