#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# refusals.sh BUILD: kernels that load no module, each in a guest of its own because they cannot be talked round, and kernels built without an option. Test Anything
# Protocol.
bin=$1/bin
. "$(dirname "$0")/expect.sh"

# guest OPTIONS... -- COMMAND...: what it prints, both streams.
guest() {
    timeout -k 5 200 "$bin/stap-vm" -n -k "$release" "$@" >"$work/out" 2>&1
}

release=$("$bin/stap-vm" --print-kernel 2>/dev/null | sed -n 's/^release //p')
(cd "$work" && "$bin/stap" -r "$release" -p4 -m tapir_refused -e 'probe begin { println("runs") exit() }' >/dev/null) || exit 1
head="ERROR: Couldn't insert module '$work/tapir_refused.ko':"
examined="'$bin/staprun' --doctor -v | grep -E '^  (off|missing)|^Scripts'"
sign="let stap sign it (--sign-key) with a key the kernel trusts, as docs/secure-boot.md tells, or stap-sign (--kernel-key)"

# The keys that the kernel itself has, as it lists them to root.
guest -- cat /proc/keys
keys=$(sed -nE "s/.* asymmetri (.*): [0-9a-f]+: X509\..*/'\\1'/p" "$work/out" | paste -sd, | sed 's/,/, /g')
[ -n "$keys" ] || keys='none in /proc/keys'

guest -- "$bin/staprun" "$work/tapir_refused.ko"
expect 'without an obstacle' runs

guest -- sh -c "sysctl -q kernel.modules_disabled=1; '$bin/staprun' '$work/tapir_refused.ko'; $examined"
expect 'kernel.modules_disabled' "$head this kernel loads no modules until it is booted again (kernel.modules_disabled is 1)
Scripts cannot run on this kernel ($release): the kernel loads none until it is booted again.
  off     modules: the kernel loads none until it is booted again (kernel.modules_disabled is 1)"

mount='mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security'
guest --append=lockdown=integrity -- sh -c "$mount; '$bin/staprun' '$work/tapir_refused.ko'; $examined"
expect 'lockdown, which can be read' "$head the kernel is locked down (integrity), and takes only modules signed with a key it trusts; this module is not signed: $sign, or boot without what locks the kernel down (Secure Boot, or the parameter lockdown)
Scripts cannot run on this kernel ($release): this kernel accepts only signed modules.
  off     signatures: this kernel accepts only signed modules (lockdown integrity); it knows the keys $keys: $sign, or boot without what locks the kernel down (Secure Boot, or the parameter lockdown)"

guest --append=lockdown=integrity -- sh -c "! mountpoint -q /sys/kernel/security || umount /sys/kernel/security; '$bin/staprun' '$work/tapir_refused.ko'"
expect 'lockdown, which only the kernel log tells' "$head the kernel is locked down (see the kernel log), and takes only modules signed with a key it trusts; this module is not signed: $sign, or boot without what locks the kernel down (Secure Boot, or the parameter lockdown)
kernel log: Lockdown: staprun: unsigned module loading is restricted; see man kernel_lockdown.7"

guest --append=module.sig_enforce=1 -- sh -c "'$bin/staprun' '$work/tapir_refused.ko'; $examined"
expect 'module.sig_enforce' "$head the kernel enforces module signatures, and takes only modules signed with a key it trusts; this module is not signed: $sign, or boot without the parameter module.sig_enforce=1
Scripts cannot run on this kernel ($release): this kernel accepts only signed modules.
  off     signatures: this kernel accepts only signed modules (module.sig_enforce); it knows the keys $keys: $sign, or boot without the parameter module.sig_enforce=1"

# The kernel's own message for a signature that is none.
cp "$work/tapir_refused.ko" "$work/signed.ko"
printf '%s~Module signature appended~\n' "$(head -c 12 /dev/zero | tr '\0' x)" >>"$work/signed.ko"
guest -- sh -c "'$bin/staprun' '$work/signed.ko'"
expect 'a damaged signature' "${head/tapir_refused/signed} the module's signature is damaged; sign it again"

# Headers of a kernel without some options: scripts are built for it, all but those that need one.
kernel=
for headers in "/usr/src/linux-headers-$release" "${TAPIR_CACHE_DIR:-$HOME/.cache/tapir}/kernels/$release/usr/src/linux-headers-$release"; do
    [ ! -e "$headers/Module.symvers" ] || kernel=$headers
done
cp -a "$kernel" "$work/tree"
for link in scripts tools; do
    [ ! -L "$work/tree/$link" ] || ln -sfn "$(readlink -f "$kernel/$link")" "$work/tree/$link"
done
for option in NETFILTER UPROBES; do
    sed -i "/^CONFIG_$option=/d" "$work/tree/.config" "$work/tree/include/config/auto.conf"
    sed -i "/#define CONFIG_$option 1/d" "$work/tree/include/generated/autoconf.h"
done
sed -i -E '/\t(nf_(un)?register_net_hook|uprobe_(un)?register\w*)\t/d' "$work/tree/Module.symvers"
export TAPIR_CACHE_DIR=$work/cache
"$bin/stap" -r "$work/tree" -p2 -e 'probe begin { } probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") { }' >"$work/out" 2>&1
expect 'a kind that the kernel was built without' "semantic error: while resolving probe point: identifier 'netfilter' at <input>:1:23
        source: probe begin { } probe netfilter.hook(\"NF_INET_LOCAL_IN\").pf(\"PF_INET\") { }
                                      ^

semantic error: the kernel was built without CONFIG_NETFILTER, which netfilter hooks need; only a kernel with it can run this: identifier 'netfilter' at :1:23
        source: probe begin { } probe netfilter.hook(\"NF_INET_LOCAL_IN\").pf(\"PF_INET\") { }
                                      ^

Pass 2: analysis failed.  [man error::pass2]"
"$bin/stap" -r "$work/tree" -p4 -e 'probe begin { } probe netfilter.hook("NF_INET_LOCAL_IN").pf("PF_INET") ? { }' 2>&1 | sed 's/.*\.ko$/a module/' >"$work/out"
expect 'scripts that do without it are built' 'a module'
"$bin/stap" --doctor -v -r "$work/tree" | grep 'the kernel was built without' >"$work/out"
expect '--doctor' "  missing task_counter: performance events counted in each thread of a program: the kernel was built without CONFIG_UPROBES
  missing user_data: watchpoints on memory of programs: the kernel was built without CONFIG_UPROBES
  missing netfilter: netfilter hooks: the kernel was built without CONFIG_NETFILTER
  missing netfilter.arp: netfilter hooks for ARP: the kernel was built without CONFIG_NETFILTER
  missing netfilter.bridge: netfilter hooks of bridges: the kernel was built without CONFIG_NETFILTER
  missing uprobe: probes in programs: the kernel was built without CONFIG_UPROBES
  missing uretprobe: probes at the return of functions of programs: the kernel was built without CONFIG_UPROBES"

echo "1..$number"
[ "$failed" = 0 ]
