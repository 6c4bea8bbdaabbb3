#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# House rules that a program can check. Prints every violation; status 1 if there is any.
#     devel/check-tree.sh [DIRECTORY]     by default the tree that this file is in
# testsuite/tree breaks each rule once and looks whether it is noticed.
set -u -o pipefail
export LC_ALL=C
devel=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$devel/..}" || exit 2
status=0

complain() {
    echo "$1"
    status=1
}
# complain_each TEXT: a complaint for each name that comes in on standard input.
complain_each() {
    local name
    while read -r name; do complain "$name: $1"; done
}

# --- licence lines

wants_licence() {
    git ls-files '*.cc' '*.h' '*.c' '*.ll' '*.yy' '*.stp' '*.stpm' '*.sh' quickstart check .ci/run 'docs/man/*' |
        grep -v '^testsuite/.*\.stp$\|^testsuite/fuzz/corpus/\|^testsuite/native/\|^testsuite/fixtures/'
}
has_licence() {
    wants_licence | tr '\n' '\0' | xargs -0 awk 'FNR > 4 { nextfile } /SPDX-License-Identifier: GPL-2.0-or-later/ { print FILENAME; nextfile }'
}
complain_each 'no licence line' < <(comm -23 <(wants_licence | sort) <(has_licence | sort))

# --- conflicts of a merge or rebase that were committed as they were

complain_each 'has the marks of a conflict' < <(git grep -lE '^(<<<<<<<|>>>>>>>) ')

# --- layers

# Kernel headers are for kmod/ only; emitted C and the portable runtime use the port.
complain_each 'includes a kernel header' < <(git grep -l '#include <linux/' -- '*.c' '*.h' '*.cc' |
    grep -v '^kmod/\|^runtime/include/tapir/types.h$\|^translator/vm/\|^common/interruption.cc$\|^translator/build/features.cc$\|^bpf/link/\|^bpf/load/\|^staprun/\|^testsuite/')

# Version numbers of the kernel decide nothing. A user's script may ask for them: a test includes what it needs for that.
complain_each "asks for the kernel's version instead of for what it has" < <(
    git grep -l 'LINUX_VERSION_CODE\|KERNEL_VERSION(' -- kmod runtime translator tapsets unwind machine staprun trust server testsuite/vm \
        ':!testsuite/vm/language/kernel_headers_included.stp')

# Two directories alone describe architectures; the check itself is checked, too.
"$devel/check-arch" --self-test || complain "devel/check-arch: does not find what it looks for"
"$devel/check-arch" --root . || status=1

# Every source file of a module is compiled once: in one part or alone.
module_sources() { git ls-files 'kmod/*.c' 'runtime/*.c' | grep -v '^kmod/parts/'; }
compiled() {
    git grep -hoE '^#include "(kmod|runtime)/[^"]*\.c"' -- kmod/parts | cut -d '"' -f 2
    grep -oE '(kmod|runtime)/[a-z_]+\.o' kmod/Kbuild | sed 's/o$/c/'
}
while read -r times file; do
    [ "$times" = 2 ] || complain "$file: compiled $((times - 1)) times, by kmod/parts and by its name in kmod/Kbuild"
done < <({ module_sources; compiled; } | sort | uniq -c | grep -wFf <(module_sources))

# No two files of a module need each other: docs/internals.md has the order in which they are read.
circles=$("$devel/check-circles" --root . 2>&1) || complain "$circles"

# Each port defines what runtime/include/tapir/ports.def lists.
if [ -e runtime/include/tapir/ports.def ]; then
    ports=$("$devel/check-ports" --root . 2>&1) || complain "$ports"
    needs=$("$devel/check-needs" --root . 2>&1) || complain "$needs"
fi

# Each folder includes those that devel/arrows.list and translator/CMakeLists.txt let it include.
arrows=$("$devel/check-arrows" --root . 2>&1) || complain "$arrows"

# Programs are started in one place; staprun's target command waits in its process, and staprun itself goes to the background.
complain_each 'makes processes by itself instead of with common/process.h or common/run_program.h' < <(
    git grep -nE '(^|[^.>:_a-zA-Z])(v?fork|popen|posix_spawnp?|exec[vl][pe]*)\(|std::system\(' -- '*.cc' '*.h' |
        grep -vE '^(testsuite|items|kmod|process|runtime)/|^[^:]+:[0-9]+: *//' | cut -d : -f 1 | sort -u |
        grep -vx 'common/program_start.cc\|staprun/target_command.cc\|staprun/daemon.cc')

# A header's name alone tells which one it is.
complain_each 'the name of several headers' < <(git ls-files '*.h' | sed 's|.*/||' | sort | uniq -d)

# Files that are compiled together see what each keeps for itself.
if command -v ctags >/dev/null; then
    clashes=$("$devel/check-units" --root .) || complain "$clashes"
    # Something calls each function.
    dead=$("$devel/check-dead" --root . 2>&1) || complain "$dead"
fi

# Some test names each long option of the programs.
options=$("$devel/check-options" --root . 2>&1) || complain "$options"

# --- tests

# Guest cases, and what a suite's run.sh lists by a pattern, are found without being named.
while read -r script; do
    [ -n "$(git grep -lF "${script##*/}" | grep -vxF "$script")" ] || complain "$script: nothing runs it"
done < <(git ls-files 'testsuite/*.sh' ':!testsuite/vm/*/*' ':!testsuite/matrix/*/*' ':!testsuite/debug-kernel/*/*')

# --- sizes

# devel/check-tree.exceptions: "file PATH: REASON", "function PATH NAME: REASON" and "class PATH NAME SIZE: REASON".
exceptions=$(sed 's/#.*//; /^ *$/d' devel/check-tree.exceptions)
complain_each 'an exception without a reason' < <(grep -vE '^(file [^ ]+|function [^ ]+ [^ ]+|class [^ ]+ [^ ]+ [0-9]+): .+' <<<"$exceptions" | grep .)
long_files() {
    git ls-files '*.c' '*.cc' '*.h' '*.ll' '*.yy' | tr '\n' '\0' | xargs -0 awk 'FNR == 601 { print "file " FILENAME; nextfile }'
}
# The names of test cases are all TEST to ctags: one exception is for all of a file.
long_functions() {
    git ls-files '*.c' '*.cc' '*.h' | ctags -L - -f - --fields=+ne --kinds-C++=f --kinds-C=f --languages=C,C++ --langmap=C++:+.h |
        awk -F '\t' '{
            first = last = 0
            for (i = 4; i <= NF; ++i) {
                if ($i ~ /^line:/) first = substr($i, 6)
                if ($i ~ /^end:/) last = substr($i, 5)
            }
            if (last - first >= 80) print "function " $2 " " $1
        }' | sort -u
}
command -v ctags >/dev/null || complain 'ctags: not installed (package universal-ctags), so functions are not measured'
long=$(long_files; long_functions)
while read -r kind where; do
    [ "$kind" != file ] || complain "$where: more than 600 lines"
    [ "$kind" != function ] || complain "${where% *}: ${where#* } has more than 80 lines"
done < <(comm -23 <(sort -u <<<"$long") <(sed 's/: .*//' <<<"$exceptions" | sort -u))
complain_each 'an exception that nothing needs any more: take it out of devel/check-tree.exceptions' < <(
    comm -13 <(sort -u <<<"$long") <(sed 's/: .*//; /^class /d' <<<"$exceptions" | sort -u) | grep .)
if command -v ctags >/dev/null; then
    classes=$("$devel/check-classes" --root . 2>&1) || complain "$classes"
fi

# --- documents

# Every manual page that a text names is there.
pages=$(git ls-files docs/man docs/errors | sed -n 's|^docs/man/\(.*\)\.[0-9]$|\1|p; s|^docs/errors/\(.*\)\.md$|\1|p')
while IFS=: read -r file line page; do
    complain "$file:$line: there is no manual page '$page'"
done < <(git grep -noE '\[man [A-Za-z0-9_:.+-]+\]' | sed -E 's/:\[man (.*)\]$/:\1/' | grep -vE ":[0-9]+:($(paste -sd '|' <<<"$pages"))\$")

# Every page on messages has a message that names it.
while read -r page; do
    git grep -qF "[man $page]" -- runtime kmod translator staprun server trust machine unwind ||
        complain "docs/errors/$page.md: no message names the page"
done < <(git ls-files docs/errors | sed -n 's|^docs/errors/\(.*\)\.md$|\1|p')

# Paths that documents and comments name are there.
paths=$("$devel/check-paths" --root . 2>&1) || complain "$paths"

# Links to other files lead somewhere.
while IFS=: read -r page target; do
    [ -e "$(dirname "$page")/$target" ] || complain "$page: a link to $target, which is not there"
done < <(git ls-files '*.md' | tr '\n' '\0' | xargs -0r grep -oHE '\]\([^)# ]+|src(set)?="[^"# ]+"' |
    sed -E 's/:(\]\(|src(set)?=")/:/; s/"$//' | grep -v '://' | sort -u)

# docs/README.md leads to every document.
while read -r page; do
    grep -qF "(${page#docs/})" docs/README.md || complain "$page: docs/README.md does not name it"
done < <(git ls-files docs | grep -E '^docs/[^/]+\.md$' | grep -vxF docs/README.md)

# docs/internals.md names every directory of the product.
product_directories() {
    git ls-files | awk -F / '
        NF > 1 && $1 !~ /^\./ { print $1 }
        NF > 2 && ($1 == "translator" || $1 == "kmod" || $1 == "process" || $1 == "runtime") { print $1 "/" $2 }' | sort -u
}
while read -r directory; do
    grep -qF "\`$directory\`" docs/internals.md || complain "$directory: docs/internals.md does not name it"
done < <(product_directories)

# --- tools

# "NAME: UNIT of SUBJECT": "pages", "us", "0.1 %", "512 bytes".
complain_each 'a unit is a word, or a number and one; what the numbers are of stands behind "of"' < <(
    git ls-files 'tools/*.stp' | xargs awk '/^@table/ { on = 1 } on { line = $0
        while (match(line, /"[^":]+: [^"]+"/)) {
            unit = substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH)
            sub(/^[^:]*: /, "", unit); sub(/(^| )of .*/, "", unit)
            if (unit ~ /[ ,]/ && unit !~ /^[0-9.]+ [^ ]+$/) print FILENAME ":" FNR ": " unit
        } }
        /\)$/ { on = 0 }')
complain_each 'not executable: a tool is a program' < <(git ls-files -s -- 'tools/*.stp' | grep -v '^100755' | cut -f 2)
[ ! -e testsuite/matrix/tools_report.py ] || testsuite/matrix/tools_report.py --untested || status=1

# --- prose: "English" in CONTRIBUTING.md, which has the bad examples

# prose PATTERN: the lines that have it, FILE:LINE each.
prose() { git grep -nE "$1" -- ':!CONTRIBUTING.md' ':!LICENSE'; }
# Headings of documents may ask, and "#" begins them, too.
complain_each 'a comment begins with its subject, not with Of, What, Who or Whose' < <(
    {
        prose '(^|[^:A-Za-z&$"'"'"'(\\])(//+[!/]?<?|/\*+|#+)[[:space:]]*(Of|What|Who(m|se)?) '
        prose '^[[:space:]]*(\*|--|\.\\")[[:space:]]+(Of|What|Who(m|se)?) '
    } | grep -vE '^[^:]*\.md:[0-9]+:#+ ' | cut -d : -f 1,2 | sort -u)
# The second pattern leaves out the user of that name, where it is called so, and names in code.
complain_each 'name who or what is meant: the person, the program or the thing' < <(
    {
        prose '(^|[^A-Za-z])([Ww]ho|[Ww]hat)ever([^A-Za-z]|$)'
        prose "(^|[[:space:](\"'])[Nn]obody('s)? [a-z]|(^|[[:space:](])nobody('s|[]).;:,!?]|$)" | grep -v 'user nobody'
    } | cut -d : -f 1,2 | sort -u)

# --- leftovers

complain_each generated < <(git ls-files | grep -E '\.(o|ko|a|so|cmd|orig|rej|deb|rpm|gz|xz|zst|pyc)$|^build(-[a-z]+)?/')
[ -z "${CI:-}" ] || [ -z "$(git status --porcelain --untracked-files=normal)" ] || {
    git status --short
    complain "the build or the tests left files in the tree"
}
exit $status
