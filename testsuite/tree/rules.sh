#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rules.sh CHECK_TREE: makes a small tree that breaks no rule of devel/check-tree.sh, then breaks each rule once. The
# complaints have to be those that are expected, and no others.
set -u
unset CI # under which the rules look at files that are not committed, too
check=$(realpath "$1")
command -v ctags >/dev/null || { echo "needs the program ctags" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
licence='// SPDX-License-Identifier: GPL-2.0-or-later'

lines() { seq "$1" | sed 's/.*/int v&;/'; }
function_of() { printf 'int %s(void)\n{\n' "$1"; lines "$2" | sed 's/^/\t/'; printf '\treturn 0;\n}\n'; }

make_tree() {
    git init -q . && git config user.email a@b && git config user.name a || exit 1
    mkdir -p kmod/parts process/test translator/ir docs/man docs/errors devel
    : >devel/check-tree.exceptions
    : >devel/arch-words.list
    printf 'translator\nkmod\nprocess\n' >devel/arrows.list
    { echo "$licence"; function_of a 1; } >kmod/a.c
    printf '%s\n' "$licence" >kmod/b.c
    printf '%s\n#include "kmod/a.c"\n' "$licence" >kmod/parts/one.c
    echo 'tapir-y := kmod/b.o' >kmod/Kbuild
    printf '%s\n' "$licence" >process/test/host.c
    echo 'CALLS(a, calls, f, g, h, inline_one, large, named, own, short)' >translator/ir/calls.def
    { echo "$licence"; printf '// [%s error::x]\n' man; function_of short 77; } >translator/ir/print.cc
    printf '.\\" %s\n' "${licence#// }" >docs/man/prog.1
    echo '# error::x' >docs/errors/error::x.md
    printf 'See [%s prog] and [%s error::x].\n' man man >docs/a.md # put together, so that the rule does not see it here
    echo '[a](a.md) [parts](internals.md) [x](errors/error::x.md#y) [elsewhere](http://a.b/c)' >docs/README.md
    echo '`docs` `kmod` `kmod/parts` `process` `process/test` `runtime` `devel` `translator` `translator/ir`' >docs/internals.md
    git add -A && git commit -qm a || exit 1
}

# expect WHAT COMPLAINTS: what check-tree.sh says about the tree as it is now, in any order; then the tree is as before.
expect() {
    local said expected
    git add -A
    said=$("$check" . 2>&1)
    local status=$?
    said=$(sort <<<"$said") expected=$(sort <<<"$2")
    if [ "$said" = "$expected" ] && [ "$status" = "$([ -z "$2" ]; echo $?)" ]; then
        echo "ok $1"
    else
        printf 'not ok %s (status %s), expected and said:\n' "$1" "$status"
        diff <(echo "$expected") <(echo "$said")
        failed=1
    fi
    git reset -q --hard
    git clean -qfd
}

complaints=
# breaks COMPLAINT: what the change before it leads to.
breaks() { complaints+="${complaints:+
}$1"; }

make_tree
expect 'a tree without faults' ''

{ echo '// as fork() does'; echo 'void g() { start.fork(); }'; } >>translator/ir/print.cc
{ echo "$licence"; lines 600; function_of large 78; } >translator/ir/long.cc
{ echo "$licence"; echo 'struct Wide {'; lines 399; echo '};'; } >translator/ir/wide.h
printf 'file translator/ir/long.cc: a table\nfunction translator/ir/long.cc large: a switch\nclass translator/ir/wide.h Wide 401: a list\n' \
    >devel/check-tree.exceptions
# The words are put together here, too. A heading may ask, and a user may have the name.
none=no none+=body
printf '\n## %s it does\n\nIt becomes the user %s.\n' What $none >>docs/a.md
printf '%sever it is, it is an example.\n' What >CONTRIBUTING.md
{
    printf 'char text[] = "%s %s", "%s %s", "%s"; /* is what it is, of course */\n' '//' What '#' Whose "$none"
    printf 'set_id(Standing::N%s, &%s); %s(1);\n' "${none#n}" "$none" "$none"
} >>translator/ir/print.cc
expect 'exceptions, and what only looks like a fault' ''

echo 'int x;' >kmod/parts/two.c
breaks 'kmod/parts/two.c: no licence line'

printf 'one line\n%s HEAD\n' '<<<<<<<' >docs/merged.txt
breaks 'docs/merged.txt: has the marks of a conflict'

echo '#include <linux/types.h>' >>translator/ir/print.cc
breaks 'translator/ir/print.cc: includes a kernel header'

echo '#if LINUX_VERSION_CODE > 5' >>kmod/a.c
breaks "kmod/a.c: asks for the kernel's version instead of for what it has"

echo 'int f(struct pt_regs *regs) { return regs->di; }' >>kmod/b.c
breaks "kmod/b.c:2: 'regs->di', a register in struct pt_regs: it belongs to arch/ or kmod/arch/"
printf 'kmod/a.c\tregs->di\tis gone\n' >devel/arch-words.list
breaks "devel/arch-words.list: nothing in kmod/a.c needs 'regs->di'"

echo "$licence" >kmod/c.c
breaks 'kmod/c.c: compiled 0 times, by kmod/parts and by its name in kmod/Kbuild'
echo '#include "kmod/b.c"' >>kmod/parts/one.c
breaks 'kmod/b.c: compiled 2 times, by kmod/parts and by its name in kmod/Kbuild'

{ echo "$licence"; echo '#include "kmod/a.c"'; } >translator/ir/upward.cc
breaks 'translator/ir/upward.cc:2: includes kmod/a.c: devel/arrows.list does not let translator include kmod'

{ echo "$licence"; echo 'int child = fork();'; } >translator/ir/child.cc
{ echo "$licence"; echo 'void f() { execvp(name, words); std::system(text); }'; } >translator/ir/program.cc
for file in child program; do
    breaks "translator/ir/$file.cc: makes processes by itself instead of with common/process.h or common/run_program.h"
done

# The same function, however its parameters are written; one that differs in them is another, and arch/ has units of its own.
{ echo "$licence"; echo 'namespace { int own(const ast::Expr &a, int b) { return b; } }'; } >translator/ir/own.cc
{ echo "$licence"; echo 'static int own(const Expr &expr, int) { return 0; }'; } >translator/ir/other.cc
{ echo "$licence"; echo 'static int own(const Expr &expr) { return 0; }'; } >translator/ir/overload.cc
{ echo "$licence"; echo 'static int own(const Expr &expr, int) { return 0; }'; } >translator/apart.cc
echo 'tapir_together(sources x ALONE apart.cc)' >translator/CMakeLists.txt
{ echo "$licence"; echo 'static int own(const Expr &expr, int) { return 0; }'; } >translator/together.cc
breaks "translator/ir/own.cc:2: 'own' is also a name of translator/ir/other.cc:2, with which it may be compiled together"
{ echo "$licence"; echo 'namespace { enum Op : int { kOwn }; }'; } >translator/ir/plain_values.cc
{ echo "$licence"; echo 'namespace { enum class Kind { kOwn }; }'; } >translator/ir/scoped_values.cc
{ echo "$licence"; echo 'namespace { constexpr int kOwn = 1; }'; } >translator/ir/constant.cc
breaks "translator/ir/plain_values.cc:2: 'kOwn' is also a name of translator/ir/constant.cc:2, with which it may be compiled together"
# A call with a std::string would take the first for the second, which a header declares.
{ echo "$licence"; echo 'namespace ir { namespace { int named(std::string name) { return name.size(); } } }'; } >translator/ir/named.cc
{ echo '#pragma once'; echo "$licence"; echo 'namespace ir { int named(std::string_view path); }'; } >translator/ir/naming.h
{ echo "$licence"; echo 'namespace ir { int calls() { return named(std::string()); } }'; } >translator/ir/names_things.cc
breaks "translator/ir/named.cc:2: 'named' may be taken for the one of a header by translator/ir/names_things.cc, with which it may be compiled together"

{ echo "$licence"; echo 'int uncalled(int n) { return n ? uncalled(n - 1) : 0; }'; } >translator/ir/uncalled.cc
breaks 'translator/ir/uncalled.cc:2: nothing calls uncalled'

echo '[gone](gone.md) ![](../a.png) <img src="b.png">' >>docs/a.md
breaks 'docs/a.md: a link to gone.md, which is not there'
breaks 'docs/a.md: a link to ../a.png, which is not there'
breaks 'docs/a.md: a link to b.png, which is not there'
for page in b c hidden; do
    echo "$page" >>docs/$page.md
    breaks "docs/$page.md: docs/README.md does not name it"
done

{ echo "$licence"; lines 600; } >translator/ir/long.cc
breaks 'translator/ir/long.cc: more than 600 lines'
{ echo "$licence"; function_of large 78; } >translator/ir/large.cc
breaks 'translator/ir/large.cc: large has more than 80 lines'
{ echo "$licence"; echo 'struct Wide {'; lines 399; echo '};'; } >translator/ir/wide.h
breaks 'translator/ir/wide.h: the class Wide has 401 lines, more than 400'
{ echo "$licence"; function_of inline_one 78; } >translator/ir/long.h
breaks 'translator/ir/long.h: inline_one has more than 80 lines'
{ echo "$licence"; lines 600; } >translator/ir/reasonless.cc
printf 'file translator/ir/print.cc: was long once\nfile translator/ir/reasonless.cc\n' >devel/check-tree.exceptions
breaks 'file translator/ir/print.cc: an exception that nothing needs any more: take it out of devel/check-tree.exceptions'
breaks 'file translator/ir/reasonless.cc: an exception without a reason'

printf 'x\n[%s error::y]\n[%s prog.1]\n' man man >docs/b.md
breaks "docs/b.md:2: there is no manual page 'error::y'"
breaks "docs/b.md:3: there is no manual page 'prog.1'"
printf '# error::z\n' >docs/errors/error::z.md
printf 'See [%s error::z].\n' man >docs/c.md # a document is no message
breaks 'docs/errors/error::z.md: no message names the page'

echo 'See `kmod/none.sh`.' >>docs/a.md
breaks "docs/a.md:$(wc -l <docs/a.md): there is no kmod/none.sh"

{
    printf '%s %s the map.\n' '//' Of
    printf 'int f(); %s %s is returned.\n' '//' What
    printf 'int g(); /* %s calls it. */\n' Who
    printf '/*\n * %s it is.\n */\n' Whose
    printf '//%s it serves.\n' Whom
} >>kmod/b.c
printf 'x\n%s %s it does\n' '#' What >devel/words
for line in 3 4 5 7 9; do breaks "kmod/b.c:$line: a comment begins with its subject, not with Of, What, Who or Whose"; done
breaks 'devel/words:2: a comment begins with its subject, not with Of, What, Who or Whose'
{
    printf '\nFor %sever calls.\n' who
    printf '%sever it is.\n' What
    printf 'So %s reads it, and it is read by %s.\n' "$none" "$none"
    printf 'It is read by\n%s\n' "$none"
} >>docs/d.md
printf 'error("%s may do this");\n' "$none" >>translator/ir/print.cc
breaks "translator/ir/print.cc:$(wc -l <translator/ir/print.cc): name who or what is meant: the person, the program or the thing"
for line in 2 3 4 6; do breaks "docs/d.md:$line: name who or what is meant: the person, the program or the thing"; done
breaks "docs/d.md: docs/README.md does not name it"

mkdir translator/new server
echo "$licence" >translator/new/a.cc
echo "$licence" >server/a.cc
breaks 'server: docs/internals.md does not name it'
breaks 'devel/arrows.list: server has no line'
breaks 'translator/new: docs/internals.md does not name it'

mkdir -p build/sub
echo x >build/sub/x
echo x | tee kmod/a.o >devel/a.pyc
echo '`build`' >>docs/internals.md
breaks 'build/sub/x: generated'
breaks 'devel/a.pyc: generated'
breaks 'kmod/a.o: generated'

expect 'each rule broken once' "$complaints"
exit $failed
