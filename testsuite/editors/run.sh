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
# tapsets_read: how many files of the library a server opens until it has completed a point.
tapsets_read() {
    local body='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    local open='{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.stp","languageId":"systemtap","version":1,"text":"probe vfs.re"}}}'
    local ask='{"jsonrpc":"2.0","id":2,"method":"textDocument/completion","params":{"textDocument":{"uri":"file:///a.stp"},"position":{"line":0,"character":12}}}'
    local message
    for message in "$body" '{"jsonrpc":"2.0","method":"initialized","params":{}}' "$open" "$ask"; do
        printf 'Content-Length: %d\r\n\r\n%s' ${#message} "$message"
    done | strace -f -e trace=openat,open -o "$work/opened" "$STAP" --language-server >"$work/answers"
    grep -q '"label":"read"' "$work/answers" || return 1
    grep -cE '"[^"]*/tapsets/[^"]*\.stpm?"' "$work/opened"
}
# Parsing the library is what the first completion would wait for.
if command -v strace >/dev/null; then
    first=$(tapsets_read) second=$(tapsets_read)
    if [ "${first:-0}" -gt 50 ] && [ "$second" = 0 ]; then
        echo "ok - the second server opens no file of the library"
    else
        echo "not ok - the second server opens no file of the library"
        echo "# the first opened $first, the second $second"
        exit 1
    fi
else
    echo "ok - the second server opens no file of the library # SKIP no strace here"
fi

timeout $((120 * patience)) nvim --headless -u NONE -c "luafile $here/neovim.lua" >"$work/said" 2>&1
status=$?
cat "$RESULTS" 2>/dev/null || echo "not ok - neovim did not come to its end"
if [ $status -ne 0 ] || ! grep -q '^1\.\.' "$RESULTS" 2>/dev/null; then
    sed 's/^/# /' "$work/said"
    exit 1
fi
