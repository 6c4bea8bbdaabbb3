# SPDX-License-Identifier: GPL-2.0-or-later
# The findings of --doctor in a guest, and that they are true.
#: timeout: 120
#: long: kernel options are looked up one by one
#: scripts: _function.stp
#: host: grep -c '^    {"' "$AREA/../../../machine/kernel_options.cc" >kinds
#: host: "$STAP" -p4 -r "$R" -m follows -e 'probe process.end { println("hit") exit() }' >/dev/null
#: records: no, it has no session
. "$AREA/_common.sh"
run "$STAPRUN" --doctor -v >all
cat all
is_equal 'exit status' $status 0
is_equal 'the verdict' "$(head -n 1 all)" "Scripts run on this kernel ($R)."
is_equal 'the first group' "$(sed -n 3p all)" "Running scripts on $R"
# A machine without the kernel's configuration has nothing to tell them from.
kinds=$(cat kinds) not_well=
is_configured CONFIG_NETFILTER_FAMILY_ARP || {
    kinds=$((kinds - 1))
    not_well='  missing netfilter.arp: netfilter hooks for ARP: the kernel was built without CONFIG_NETFILTER_FAMILY_ARP'
}
[ -e /proc/config.gz ] || [ -e "/boot/config-$R" ] || [ -e "/lib/modules/$R/config" ] || [ -e "/lib/modules/$R/build/.config" ] || kinds=0 not_well=
is_equal 'what is not well' "$(grep -E '^  (off|missing)' all)" "$not_well"
[ $kinds != 0 ] || grep -q '^  note    configuration: not found (/proc/config.gz, /boot/config-RELEASE): which probe kinds the kernel has is not known$' all
is_equal 'the kinds' "$(sed -n '/^Probe kinds/,/^$/p' all | grep -c '^  ok')" $kinds

# The short form: the verdict, what is not well, and how much is.
COLUMNS=60 run "$STAPRUN" --doctor >brief
cat brief
is_equal 'the verdict' "$(head -n 1 brief)" "Scripts run on this kernel ($R)."
is_equal 'how much is well' "$(grep '^ok ' brief | tr -dc 0-9)" "$(grep -c '^  ok' all)"
is_equal 'its end' "$(tail -n 1 brief | sed 's/^ *//')" 'all: staprun --doctor -v'
[ "$(wc -L <brief)" -le 60 ] || fail 'a line is too long'

run "$STAPRUN" --doctor --json >json
python3 -c 'import json; r = json.load(open("json")); assert r["usable"] and len(r["groups"]) == 2, r'

# A switch that would silently stop probes: found, and the probes refused.
sysctl -q kernel.ftrace_enabled=0
run "$STAPRUN" --doctor -v >off
refused=$("$STAPRUN" _function.ko 2>&1) && fail 'probes that cannot be hit were started'
not_followed=$("$STAPRUN" follows.ko 2>&1) && fail 'processes that are not seen were followed'
sysctl -q kernel.ftrace_enabled=1
is_equal 'exit status' $status 0
is_equal 'the function tracer' "$(grep 'function tracer: ' off)" '  off     function tracer: kernel.ftrace_enabled is 0, probes of kernel functions do not work: switch it on: sysctl kernel.ftrace_enabled=1'
[ $kinds = 0 ] || is_equal 'the kind' "$(grep ' return: ' off)" '  off     return: probes at the return of kernel functions: the function tracer is off'
is_equal 'the refusal' "$refused" "ERROR: Couldn't insert module '_function.ko': the script probes kernel functions, and the function tracer is switched off (kernel.ftrace_enabled is 0), so that no probe would be hit; switch it on: sysctl kernel.ftrace_enabled=1"
is_equal 'what it says of processes' "$not_followed" "ERROR: Couldn't insert module 'follows.ko': the script follows processes, which takes probes of kernel functions, and the function tracer is switched off (kernel.ftrace_enabled is 0), so that no probe would be hit; switch it on: sysctl kernel.ftrace_enabled=1"
is_equal 'once it is on' "$("$STAPRUN" _function.ko)" hit
is_equal 'processes, once it is on' "$("$STAPRUN" follows.ko -c true | head -n 1)" hit

echo 0 >/sys/kernel/debug/kprobes/enabled
run "$STAPRUN" --doctor -v >off
refused=$("$STAPRUN" _function.ko 2>&1) && fail 'probes that cannot be hit were started'
echo 1 >/sys/kernel/debug/kprobes/enabled
is_equal 'kprobes' "$(grep ' kprobes: ' off)" '  off     kprobes: /sys/kernel/debug/kprobes/enabled is 0, probes of kernel functions do not work: switch them on: echo 1 > /sys/kernel/debug/kprobes/enabled'
is_equal 'the refusal' "$refused" "ERROR: Couldn't insert module '_function.ko': the script probes kernel functions, and kprobes are switched off (/sys/kernel/debug/kprobes/enabled is 0), so that no probe would be hit; switch them on: echo 1 > /sys/kernel/debug/kprobes/enabled"

# Without the right to load modules.
run setpriv --bounding-set -sys_module --inh-caps -sys_module "$STAPRUN" --doctor -v >off
is_equal 'exit status' $status 1
is_equal 'the verdict' "$(head -n 1 off)" "Scripts cannot run on this kernel ($R): this process may not load modules."

# All of it, with the part that builds. It starts a stap for each tool, which takes an emulated machine two seconds: two tools will do.
tools=$AREA/../../../tools
mkdir -p few/cpu
cp "$tools"/cpu/{runqlat,ctxsw}.stp few/cpu
mount --bind few "$tools"
run "$STAP" --doctor -v >whole
umount "$tools"
cat whole
is_equal 'exit status' $status 0
grep -q "^  ok      headers: /.*$R" whole || fail 'no headers'
grep -q '^  ok      runtime: built' whole || fail 'the runtime was not built'
is_equal 'the verdict' "$(head -n 1 whole)" "Scripts run on this kernel ($R)."
is_equal 'the tools' "$(sed -n 's/^  ok      stap run: //p' whole)" 'all 2 tools that look at kernels find their probe points'
