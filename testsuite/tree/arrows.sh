#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# arrows.sh SOURCE: devel/check-arrows finds each include that devel/arrows.list does not allow, and each line of the list that nothing
# needs. Test Anything Protocol.
set -u
. "$1/testsuite/tree/lib.sh" "$1" check-arrows || exit 2
tree() {
    rm -rf common runtime kmod translator server testsuite
    file devel/arrows.list <<<$'# a comment\nruntime/include\nruntime: runtime/include\ncommon\ntranslator\nserver: common translator/base'
    file runtime/include/tapir/types.h <<<'typedef int s32;'
    file runtime/map.c <<<$'#include <signal.h>\n#include "tapir/types.h"'
    file common/text.h <<<'#include <sys/types.h>'
    file translator/CMakeLists.txt <<<$'tapir_library(base LINK tapir_common Some::Thing)\ntapir_library(ast DEPS base) # not kmod\ntapir_library(syntax DEPS ast ALONE a.cc)'
    file translator/base/source.h <<<'#include "common/text.h"'
    file translator/ast/ast.h <<<'#include "base/source.h"'
    file translator/syntax/grammar.yy <<<$'%{\n#include "base/source.h"\n#include "ast/ast.h"\n#include "common/text.h"\n#include "grammar.hh"\n%}'
    file translator/main.cc <<<$'#include "syntax/grammar.yy"\n#include "common/text.h"'
    file server/main.cc <<<$'#include "common/text.h"\n  #  include "base/source.h"'
    file testsuite/all.cc <<<$'#include "server/main.cc"\n#include "nowhere.h"'
}

tree
run
expect 'what is listed, what libraries are linked with, and tests' 'status 0'
run --arrows
expect 'arrows' 'runtime -> runtime/include: 1
server -> common: 1
server -> translator/base: 1
translator -> common: 1
translator -> translator/syntax: 1
translator/ast -> translator/base: 1
translator/base -> common: 1
translator/syntax -> common: 1
translator/syntax -> translator/ast: 1
translator/syntax -> translator/base: 1
status 0'

echo '#include "server/main.cc"' >>common/text.h
echo '#include "../../server/main.cc"' >>translator/base/source.h
echo '#include <tapir/types.h>' >>translator/main.cc
echo '#include "ast/ast.h"' >>server/main.cc
echo '#include "testsuite/all.cc"' >>server/main.cc
run
expect 'includes that are not listed' 'common/text.h:2: includes server/main.cc: devel/arrows.list does not let common include server
server/main.cc:3: includes translator/ast/ast.h: devel/arrows.list does not let server include translator/ast
server/main.cc:4: includes testsuite/all.cc: devel/arrows.list does not let server include testsuite
translator/base/source.h:2: includes server/main.cc: devel/arrows.list does not let translator/base include server
translator/main.cc:3: includes runtime/include/tapir/types.h: devel/arrows.list does not let translator include runtime/include
status 1'

tree
echo '#include "syntax/grammar.yy"' >>translator/ast/ast.h
file translator/ir/ir.h <<<'#include "ast/ast.h"'
run
expect 'libraries that are not linked' 'translator/ast/ast.h:2: includes translator/syntax/grammar.yy: translator/CMakeLists.txt does not let translator/ast include translator/syntax
translator/ir/ir.h:1: includes translator/ast/ast.h: devel/arrows.list does not let translator include translator/ast
status 1'

# The library itself, or one that is linked with it, has to include what it is linked with.
tree
file translator/CMakeLists.txt <<<$'tapir_library(base LINK tapir_common)\ntapir_library(names DEPS base)\ntapir_library(ast DEPS base)\ntapir_library(syntax DEPS ast names)\ntapir_library(ir DEPS syntax)'
file translator/names/names.h </dev/null
file translator/ir/ir.h <<<'#include "ast/ast.h"'
run
expect 'links that nothing needs' 'translator/CMakeLists.txt: nothing in translator/names needs translator/base
translator/CMakeLists.txt: nothing in translator/syntax needs translator/names
status 1'

tree
echo 'translator: runtime/include' >>devel/arrows.list
sed -i '/^translator$/d' devel/arrows.list
echo '#include "tapir/types.h"' >>translator/syntax/grammar.yy
run
expect "a folder's line holds for its libraries" 'devel/arrows.list:5: translator/base stands below server: write '\''server ^ translator/base: REASON'\''
status 1'

tree
echo '#include "nowhere.h"' >>common/text.h
file kmod/a.c </dev/null
run
expect 'a header that is not there, a folder without a line' 'devel/arrows.list: kmod has no line
common/text.h:2: includes nowhere.h, which is not in the tree
status 1'

tree
sed -i 's/^common$/common: runtime/' devel/arrows.list
echo '#include "base/source.h"' >>runtime/map.c
echo 'runtime ^ translator/base: a reason' >>devel/arrows.list
echo 'translator ^ common: stands above' >>devel/arrows.list
echo 'common ^ server:' >>devel/arrows.list
echo 'kmod ^ server: is no room' >>devel/arrows.list
echo 'common' >>devel/arrows.list
run
expect 'lines that are wrong or that nothing needs' 'devel/arrows.list:11: common has two lines
devel/arrows.list:8: common stands above translator: name it in the line of translator
devel/arrows.list:9: the arrow from common to server has no reason
devel/arrows.list:10: kmod has no line
devel/arrows.list:4: nothing in common needs runtime
devel/arrows.list:8: nothing in translator needs common
devel/arrows.list:9: nothing in common needs server
devel/arrows.list:10: nothing in kmod needs server
status 1'

rm devel/arrows.list
run
expect 'no list' "check-arrows: [Errno 2] No such file or directory: './devel/arrows.list'
status 2"

echo "1..$number"
[ "$failed" = 0 ]
