#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# circles.sh SOURCE: devel/check-circles finds circles however files name each other, and nothing where there is none. Test Anything
# Protocol.
set -u
check=$1/devel/check-circles
. "$1/testsuite/vm/expect.sh" || exit 2
cd "${work:?}" || exit 1

# tree: an empty tree. file PATH: what is read becomes a file of it.
tree() {
    rm -rf kmod process runtime
    mkdir -p kmod/parts process/base process/still runtime/include/tapir
}
file() {
    cat >"$1"
}
run() {
    "$check" --root . "$@" >out 2>&1
    echo "status $?" >>out
}

tree
file kmod/low.c <<<'int low(void) { return 1; }'
file kmod/high.c <<<'int low(void); int high(void) { return low(); }'
run
expect 'a chain' 'status 0'
run --arrows
expect 'arrows of a chain' 'kmod/high.c -> kmod/low.c: low
status 0'

# Each arrow is of another kind: a call, a variable, an inline function of a header, a macro, a table of functions.
tree
file kmod/call.c <<<'void variable_user(void); void call(void) { variable_user(); }'
file kmod/variable.c <<<'extern int kept; void variable_user(void) { kept = 1; }'
file kmod/kept.c <<<'#include "inline.h"
DEFINE_PER_CPU(int, kept);
static int f(void) { return by_inline(); }'
file kmod/inline.h <<<'int behind(void);
static inline int twice(void)
{
	return 2 * behind();
}
static inline int by_inline(void)
{
	return twice();
}'
file runtime/behind.c <<<'int behind(void) { return BY_MACRO(1); }'
file runtime/include/tapir/macro.h <<<'#define BY_MACRO(x) \
	in_table(x)'
file kmod/table.c <<<'extern void call(void);
int in_table(int x) { return x; }
static void (*const table[])(void) = {call};'
run
expect 'a circle of every kind of use' 'a circle of 5 files in a module:
  kmod/call.c -> kmod/variable.c: variable_user
  kmod/kept.c -> runtime/behind.c: behind
  kmod/table.c -> kmod/call.c: call
  kmod/variable.c -> kmod/kept.c: kept
  runtime/behind.c -> kmod/table.c: in_table
status 1'

# Comments, strings, tags, members, and functions of one file alone are no uses; folders below are not looked at.
tree
file kmod/a.c <<<'/* calls b() */
int a(void) { return sizeof("b()") + sizeof(struct b) + x.b + y->b; } // b()
static int helper(void) { return 1; }
static int use(void) { return helper(); }'
file kmod/b.c <<<'int b(void) { return a(); }
int helper(void) { return a(); }'
file kmod/parts/all.c <<<'int all(void) { return a() + b(); }'
file process/still/port.c <<<'int a(void) { return b(); }'
run
expect 'no uses' 'status 0'

tree
file kmod/x.c <<<'int x(void) { return y(); }'
file kmod/y.c <<<'int y(void) { return x(); }'
file runtime/p.c <<<'int p(void) { return q() + x(); }'
file runtime/q.c <<<'int q(void) { return p(); }'
run
expect 'two circles' 'a circle of 2 files in a module:
  kmod/x.c -> kmod/y.c: y
  kmod/y.c -> kmod/x.c: x
a circle of 2 files in a module:
  runtime/p.c -> runtime/q.c: q
  runtime/q.c -> runtime/p.c: p
status 1'

# Those of programs are looked at by port. Calls of the port are none.
tree
file process/base/phases.c <<<'void tapir_port_begin(void) { run(); }'
file process/still/life.c <<<'int life(void) { tapir_port_begin(); return warn(); }'
file process/still/main.c <<<'int warn(void) { return life(); }'
file runtime/handler.c <<<'int run(void) { tapir_port_begin(); return 0; }'
run
expect 'a circle in a program' 'a circle of 2 files in process/still:
  process/still/life.c -> process/still/main.c: warn
  process/still/main.c -> process/still/life.c: life
status 1'

tree
run
expect 'an empty tree is an error' 'check-circles: no sources in .
status 2'

echo "1..$number"
[ "$failed" = 0 ]
