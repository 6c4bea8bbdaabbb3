#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dead.sh SOURCE: devel/check-dead finds functions that nothing calls, and no others. Test Anything Protocol.
set -u
command -v ctags >/dev/null || { echo "needs the program ctags" && exit 77; }
. "$1/testsuite/tree/lib.sh" "$1" check-dead || exit 2

file runtime/map.h <<<$'int tapir_get(int key);\nstatic inline int tapir_bump(int n)\n{\n\treturn n + 1;\n}'
file runtime/map.c <<'END'
DEFINE_MUTEX(lock);
module_init(tapir_start);
static int own(void) { return 0; }
int tapir_start(void) { return tapir_bump(own()); }
int tapir_get(int key) { return key; }
int tapir_load_user(void) { return 0; }
int tapir_emitted(void) { return 0; }
int tapir_of_tapsets(void) { return 0; }
int main(void) { return 0; }
END
file translator/emit.cc <<'END'
struct Writer { Writer(int); ~Writer(); bool operator==(const Writer &) const; int write(); };
Writer::Writer(int) {}
int Writer::write() { return write_text("\ttapir_emitted();" + ("tapir_load_" + space)); }
namespace { int hidden() { return Writer(1).write(); } }
END
file tapsets/get.stp <<<'function get:long() %{ STAP_RETURN(tapir_get(tapir_of_tapsets())); %}'
file process/test/host.c <<<$'int tapir_host_count(void)\n{\n\treturn 0;\n}'
file testsuite/runtime/host_test.cc <<<'int n = tapir_host_count();'
run
expect 'functions that something calls' 'status 0'

file runtime/gone.h <<<$'int declared_only(int x);\nstatic inline int in_header(void)\n{\n\treturn 1;\n}'
file runtime/gone.c <<<$'/* calls_itself() */\nint calls_itself(int n)\n{\n\treturn n ? calls_itself(n - 1) : 0;\n}\nint tested(void)\n{\n\treturn 0;\n}'
file translator/gone.h <<<$'class Reader {\n  public:\n    int read_all() const { return 0; }\n    int read_none();\n};'
file process/test/gone.c <<<$'int tapir_host_gone(void)\n{\n\treturn 0;\n}'
file process/base/gone.c <<<$'int tapir_base_tested(void)\n{\n\treturn 0;\n}'
file testsuite/runtime/gone_test.cc <<<'int m = tested() + tapir_base_tested();'
file runtime/include/tapir/ports.def <<<'TAPIR_PORT(tapir_port_gone, SCRIPT)'
file kmod/port.c <<<$'int tapir_port_gone(void)\n{\n\treturn 0;\n}'
run
expect 'functions that nothing or only a test calls' 'runtime/gone.c:2: nothing calls calls_itself
runtime/gone.h:1: nothing calls declared_only
runtime/gone.h:2: nothing calls in_header
translator/gone.h:3: nothing calls read_all
translator/gone.h:4: nothing calls read_none
process/base/gone.c:1: only tests call tapir_base_tested
process/test/gone.c:1: nothing calls tapir_host_gone
kmod/port.c:1: nothing calls tapir_port_gone
runtime/gone.c:6: only tests call tested
status 1'

rm -r runtime/gone.[ch] translator/gone.h process/test/gone.c runtime/include kmod
file devel/dead-functions.list <<<$'# a comment\ntapir_base_tested: a reason\ntapir_get:\nmissing: is gone'
run
expect 'exceptions' 'devel/dead-functions.list: tapir_get has no reason
devel/dead-functions.list: tapir_get needs no line
devel/dead-functions.list: missing needs no line
status 1'

echo "1..$number"
[ "$failed" = 0 ]
