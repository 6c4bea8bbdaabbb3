#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ports.sh SOURCE: devel/check-ports finds each way in which ports, headers and rows differ. Test Anything Protocol.
set -u
. "$1/testsuite/tree/lib.sh" "$1" check-ports || exit 2
tree() {
    rm -rf kmod process runtime
    file runtime/include/tapir/ports.def <<<$'TAPIR_PORT(tapir_port_pid, PROCESS)\nTAPIR_PORT(tapir_port_emit, SCRIPT)'
    file runtime/include/tapir/port.h <<<$'/* tapir_port_other(); */\ns32 tapir_port_pid(void);\nbool tapir_port_emit(struct tapir_ctx *c,\n\tconst char *text);'
    file kmod/port.c <<<$'s32 tapir_port_pid(void)\n{\n\treturn 1;\n}\n\nbool tapir_port_emit(struct tapir_ctx *c,\n\tconst char *text)\n{\n\treturn tapir_port_pid();\n}'
    file process/base/session.c <<<$'bool tapir_port_emit(struct tapir_ctx *c, const char *text)\n{\n}'
    file process/still/subject.c <<<$'s32 tapir_port_pid(void)\n{\n}'
    file process/test/port.c <<<$'s32 tapir_port_pid(void)\n{\n}'
}

tree
run
expect 'ports that agree' 'status 0'

echo 'TAPIR_PORT(tapir_port_pid, KERNEL)' >>runtime/include/tapir/ports.def
run
expect 'two rows' 'runtime/include/tapir/ports.def: tapir_port_pid has 2 rows
status 1'

tree
echo 'u64 tapir_port_new(void);' >>runtime/include/tapir/port.h
run
expect 'no row' 'runtime/include/tapir/*.h: tapir_port_new has no row in runtime/include/tapir/ports.def
status 1'

tree
echo 'TAPIR_PORT(tapir_port_new, SCRIPT)' >>runtime/include/tapir/ports.def
run
expect 'a row of nothing' 'kmod: defines tapir_port_new 0 times
process/still: defines tapir_port_new 0 times
process/test: defines tapir_port_new 0 times
runtime/include/tapir/ports.def: tapir_port_new is declared in 0 places of runtime/include/tapir/*.h
status 1'

tree
cp process/still/subject.c process/base/subject.c
file kmod/extra.c <<<$'u32 tapir_port_extra(void)\n{\n}'
file process/test/own.c <<<$'u32 tapir_port_own(void)\n{\n}'
file process/test/test.h <<<'u32 tapir_port_own(void);'
run
expect 'twice, without a row, and one of its own' 'kmod: tapir_port_extra has no row in runtime/include/tapir/ports.def
process/still: defines tapir_port_pid 2 times
process/test: defines tapir_port_pid 2 times
status 1'

tree
rm runtime/include/tapir/ports.def
run
expect 'no rows at all' "check-ports: [Errno 2] No such file or directory: './runtime/include/tapir/ports.def'
status 2"

echo "1..$number"
[ "$failed" = 0 ]
