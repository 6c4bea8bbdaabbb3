#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: run.sh BUILD. The language server of BUILD/bin/stap with Debian's neovim as its client; prints TAP.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD}" && pwd)
if ! command -v nvim >/dev/null; then
    echo "1..0 # SKIP no nvim here: apt-get install neovim"
    exit 0
fi
patience=$("$here/../patience.sh")
work=$(mktemp -d "${TMPDIR:-/tmp}/tapir-editors.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work HOME=$work
export RESULTS=$work/results STAP=$build/bin/stap PATIENCE_MS=$((20000 * patience))
# How the server has a script looked at.
problems=$("$STAP" --language-check <<<'probe begin { exitt() }')
case $problems in
*'[[1,15,5,false,"'*exitt*) echo "ok - problems of a script are found" ;;
*)
    echo "not ok - problems of a script are found"
    echo "# $problems"
    exit 1
    ;;
esac
[ -r /sys/kernel/btf/vmlinux ] && export HAVE_BTF=yes
timeout $((120 * patience)) nvim --headless -u NONE -c "luafile $here/neovim.lua" >"$work/said" 2>&1
status=$?
cat "$RESULTS" 2>/dev/null || echo "not ok - neovim did not come to its end"
if [ $status -ne 0 ] || ! grep -q '^1\.\.' "$RESULTS" 2>/dev/null; then
    sed 's/^/# /' "$work/said"
    exit 1
fi
