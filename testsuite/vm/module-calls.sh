#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# module-calls.sh BUILD SOURCE: devel/check-module-calls finds what it is for, and nothing in the modules of the guests' kernel. Test Anything
# Protocol.
bin=$1/bin check=$2/devel/check-module-calls
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cat >bad.c <<'END'
typedef int (*fn)(const char *);
struct kp { void *addr; unsigned long n; };
struct ops { fn good; };
extern struct kp kp;
extern const struct ops ops;
void *lookup(const char *);
int __static_call_update(void *, void *, fn);
int own(const char *);
static fn held;
int by_field(void) { fn x = (fn)kp.addr; return x("a"); }
int by_number(void) { return ((fn)(kp.n + 4))("a"); }
int by_result(void) { fn x = (fn)lookup("x"); return x("a"); }
int by_kernel(fn p) { return p("a"); }
static int with(fn p, int n) { return n ? p("a") : 0; }
int by_caller(void) { return with((fn)kp.addr, 1) + with(own, 2); }
static int with_own(fn p) { return p("a"); }
int by_variable(void) { return held("a"); }
int by_constant(void) { return ((fn)0xffffffff81000000ul)("a"); }
int by_array(void **t) { fn local[2]; __builtin_memcpy(local, t, 16); return local[1]("a"); }
int by_memory(fn *t) { return (*t)("a"); }
int by_choice(int n) { fn x = n ? ops.good : (fn)lookup("y"); return x("a"); }
int by_static_call(void) { return __static_call_update(0, 0, (fn)kp.addr); }
int well(void) { return ops.good("a") + with_own(own) + own("b"); }
END
gcc -O2 -S -o /dev/null -fdump-tree-gimple=bad.gimple bad.c
printf '.good\tours\n' >list
python3 "$check" --list list --dump bad.gimple >out && echo 'status 0' >>out
expect 'every way to call what was looked up' "bad.gimple: by_array calls through 'variable local', which is not on the list
bad.gimple: by_caller calls through '.addr', which is not on the list
bad.gimple: by_choice calls result of lookup()
bad.gimple: by_constant calls (integer_cst)
bad.gimple: by_field calls through '.addr', which is not on the list
bad.gimple: by_kernel calls through 'by_kernel parameter p', which is not on the list
bad.gimple: by_memory calls through 'memory *t', which is not on the list
bad.gimple: by_number calls _1 + 4
bad.gimple: by_result calls result of lookup()
bad.gimple: by_static_call calls through '.addr', which is not on the list
bad.gimple: by_variable calls through 'variable held', which is not on the list"

release=$("$bin/stap-vm" --print-kernel 2>/dev/null | sed -n 's/^release //p')
"$bin/stap" --prepare -r "$release" >/dev/null || exit 1
cache=${TAPIR_CACHE_DIR:-$HOME/.cache/tapir}
template=$(ls -td "$cache/templates/$release@"*/plan | head -n 1)
template=${template%/plan}
for kernel in "/usr/src/linux-headers-$release" "$cache/kernels/$release/usr/src/linux-headers-$release"; do
    [ ! -e "$kernel/Module.symvers" ] || break
done

# A module that is linked to what it must not have, and that calls through memory in assembly.
cat >linked.c <<'END'
unsigned long kallsyms_lookup_name(const char *);
char *sprint_symbol(char *, unsigned long);
void *kept;
int f(char *b) { asm volatile("call *kept(%%rip)" ::: "memory"); return sprint_symbol(b, kallsyms_lookup_name("x")) != 0; }
END
gcc -O2 -c -fno-pic -fno-asynchronous-unwind-tables linked.c -o linked.o
python3 "$check" --kernel "$kernel" --module linked.o "$template" >out && echo 'status 0' >>out
expect 'symbols and assembly' "kallsyms_lookup_name is not exported by the kernel
kallsyms_lookup_name turns names into addresses
sprint_symbol turns names into addresses
f: calls through memory at kept"

python3 "$check" --kernel "$kernel" "$template" >out 2>&1 || echo 'refused' >>out
sed -i 's/^[0-9][0-9]* places/N places/' out
expect "modules of $release" 'N places are called through, all of them known'

echo "1..$number"
[ "$failed" = 0 ]
