#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# needs.sh SOURCE: devel/check-needs finds functions that declare other needs than they have. Test Anything Protocol.
set -u
. "$1/testsuite/tree/lib.sh" "$1" check-needs || exit 2
file runtime/include/tapir/ports.def <<<$'TAPIR_PORT(tapir_port_pid, PROCESS)\nTAPIR_PORT(tapir_port_cpu, KERNEL)\nTAPIR_PORT(tapir_port_emit, SCRIPT)'

file tapsets/a.stp <<'END'
%{
static long helped(void)
{
	return tapir_port_pid();
}
%}
function plain() %{ tapir_port_emit(c); %}
function pid:long() %{ /* pragma:needs:process */ STAP_RETVALUE = tapir_port_pid(); %}
function by_helper:long() %{ /* pragma:needs:process */ STAP_RETVALUE = helped(); %}
function comment() %{ /* tapir_port_cpu() */ %}
END
run
expect 'declared as they are' 'status 0'

cp tapsets/a.stp right.stp
sed -i 's# /\* pragma:needs:process \*/##; s#function plain() %{#function plain() %{ /* pragma:needs:kernel */#' tapsets/a.stp
run
expect 'too much, and too little' 'tapsets/a.stp:7: plain needs nothing, and declares kernel; devel/check-needs --write mends it
tapsets/a.stp:8: pid needs process, and declares nothing; devel/check-needs --write mends it
tapsets/a.stp:9: by_helper needs process, and declares nothing; devel/check-needs --write mends it
status 1'

run --write
expect 'writing says nothing' 'status 0'
diff right.stp tapsets/a.stp >"$work/out" && echo same >"$work/out"
expect 'what is written' 'same'

rm runtime/include/tapir/ports.def
run
expect 'no rows' "check-needs: [Errno 2] No such file or directory: './runtime/include/tapir/ports.def'
status 2"

echo "1..$number"
[ "$failed" = 0 ]
