#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: grammars.sh. The grammars of editors have the scanner's words, and vim shows words as it should. Prints TAP.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
editors=$here/../../editors
status=0
if python3 "$editors/make.py" --check; then
    echo "ok 1 - the grammars have the words of the scanner"
else
    echo "not ok 1 - the grammars have the words of the scanner"
    status=1
fi
if ! command -v nvim >/dev/null; then
    echo "ok 2 - vim # SKIP no nvim here: apt-get install neovim"
    echo "1..2"
    exit $status
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/tapir-grammars.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/x.stp" <<'SCRIPT'
probe begin { println("a") foreach (k in a) x = @count(a[k]) + $file }  # text
%{ int i; %}
SCRIPT
cat >"$work/look.vim" <<'LOOK'
function! At(word, line)
  call cursor(a:line, 1)
  call search(a:word, 'c', a:line)
  return synIDattr(synID(line('.'), col('.'), 1), 'name')
endfunction
let found = [&filetype, At('probe', 1), At('println', 1), At('"a"', 1), At('foreach', 1), At('@count', 1), At('$file', 1), At('# text', 1), At('int', 2)]
call writefile([join(found, ' ')], $RESULTS)
qall!
LOOK
export RESULTS=$work/results XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_CACHE_HOME=$work HOME=$work
timeout 60 nvim --headless -u NONE --cmd "set runtimepath^=$editors/vim" --cmd 'filetype plugin on' --cmd 'syntax on' \
    -S "$work/look.vim" "$work/x.stp" >"$work/said" 2>&1
wanted="systemtap tapirDeclaration tapirPrint tapirString tapirControl tapirOperator tapirTarget tapirComment cType"
if [ "$(cat "$RESULTS" 2>/dev/null)" = "$wanted" ]; then
    echo "ok 2 - vim shows what words are"
else
    echo "not ok 2 - vim shows what words are"
    cat "$RESULTS" "$work/said" 2>/dev/null | sed 's/^/# /'
    status=1
fi
echo "1..2"
exit $status
