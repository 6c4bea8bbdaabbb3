#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# classes.sh SOURCE: devel/check-classes measures classes with their functions, wherever those are. Test Anything Protocol.
set -u
command -v ctags >/dev/null || { echo "needs the program ctags" && exit 77; }
. "$1/testsuite/tree/lib.sh" "$1" check-classes || exit 2
statements() { seq "$1" | sed 's/.*/    n += &;/'; }
# function HEAD LINES: a function of so many lines.
function_of() { printf '%s {\n' "$1" && statements $(($2 - 2)) && echo '}'; }

# 200 lines in the header; the functions elsewhere have 100 each.
{
    echo 'namespace tapir {'
    echo 'class Large {'
    function_of 'int inside()' 197
    echo 'int first(); int second();'
    echo '};'
    echo '}'
} | file server/large.h
{ echo 'namespace tapir {'; function_of 'int Large::first()' 100; echo '}'; } | file server/large.cc
{ echo 'namespace tapir {'; function_of 'int Large::second()' 100; function_of 'int free_one()' 300; echo '}'; } | file server/more.cc
# Another class of the name, and one of a test.
{ echo 'namespace tapir { namespace {'; echo 'struct Large { int first(); };'; function_of 'int Large::first()' 60; echo '} }'; } | file report/large.cc
{ echo 'class Tested {'; function_of 'int f()' 600; echo '};'; } | file testsuite/large.cc
run
expect 'a class of 400 lines' 'status 0'
run --sizes
expect 'sizes' '  400 server/large.h Large
   61 report/large.cc Large
status 0'

sed -i 's/^    n += 7;/&\n    n += 8;/' server/more.cc
run
expect 'a class of 401 lines' 'server/large.h: the class Large has 401 lines, more than 400
status 1'

echo 'class server/large.h Large 401: a reason' | file devel/check-tree.exceptions
run
expect 'an exception' 'status 0'
sed -i 's/^    n += 7;/&\n    n += 8;/' server/large.cc
run
expect 'a class that has grown' 'server/large.h: the class Large has 402 lines, more than 401
status 1'

echo 'class report/large.cc Large 500: a reason' >>devel/check-tree.exceptions
sed -i 's/ 401/ 420/' devel/check-tree.exceptions
run
expect 'an exception that nothing needs' 'class report/large.cc Large: an exception that nothing needs any more: take it out of devel/check-tree.exceptions
status 1'

echo "1..$number"
[ "$failed" = 0 ]
