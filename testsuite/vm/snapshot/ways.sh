# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on one process in four ways: in the kernel while it lives, from outside while it stands still, on GDB's core and on the kernel's
# core of it. The output is the same, byte for byte. testsuite/core/ways.sh has three of these, and tools with frames.
#: requires: program gdb gcc
#: long: GDB takes its time in a guest
#: host: "$AREA/../../core/ways/prepare.sh" "$STAP" "$R" "$BIN/../ways"
#: timeout: 900
PROGRAMS=$(cd "$BIN/../ways" && pwd)
sources=$(cd "$AREA/../../core/ways" && pwd)
patiently() { eventually "$@"; }
. "$sources/targets.sh"
ulimit -c unlimited
echo core >/proc/sys/kernel/core_pattern
cp targets *.ko *_still /tmp
cd /tmp
compared=0
while read -r target tools; do
    begin_target "$target"
    for tool in $tools; do
        "$STAPRUN" -w "../${tool//-/_}.ko" -x "$pid" >"../$tool.live"
        "../${tool//-/_}_still" -w -x "$pid" >"../$tool.stop"
    done
    gdb -batch -nx -p "$pid" -ex 'generate-core-file of-gdb' >gdb.log 2>&1
    core_of_target
    for tool in $tools; do
        "../${tool//-/_}_still" -w --core=of-gdb >"../$tool.gcore"
        "../${tool//-/_}_still" -w --core="$core" >"../$tool.kernel"
        [ "$(grep -c . "../$tool.live")" -gt 1 ] || fail "$tool says nothing: $(cat "../$tool.live")"
        for how in stop gcore kernel; do
            diff "../$tool.live" "../$tool.$how" >differences || fail "$tool, $how and in the kernel: $(cat differences)"
            compared=$((compared + 1))
        done
    done
    end_target
done <targets
echo "$compared comparisons"
[ "$compared" -ge 21 ]
