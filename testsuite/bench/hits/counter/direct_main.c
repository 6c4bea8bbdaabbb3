// SPDX-License-Identifier: GPL-2.0-or-later
// Measures the cost of a trampoline of our own (docs/performance.md): counters like those of counter.c at vfs_read, called straight
// from its ftrace site by register_ftrace_direct(). how=direct: at the entry. how=direct_exit: at the return: the trampoline calls
// the code behind the site, gets control back and returns to the caller. how=direct_both: at both.
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/string.h>

static char *how = "direct";
module_param(how, charp, 0);

static DEFINE_PER_CPU(unsigned long, hits);
static DEFINE_PER_CPU(long, under_way); /* may be negative on one CPU; the sum is what counts */

/* ---- called by the trampolines ---- */

asmlinkage void direct_hit(struct pt_regs *regs);
asmlinkage void direct_enter(struct pt_regs *regs);
asmlinkage void direct_enter_hit(struct pt_regs *regs);
asmlinkage void direct_leave(struct pt_regs *regs);

asmlinkage void direct_hit(struct pt_regs *regs)
{
	preempt_disable_notrace();
	this_cpu_inc(hits);
	preempt_enable_notrace();
}

asmlinkage void direct_enter(struct pt_regs *regs)
{
	this_cpu_inc(under_way);
}

asmlinkage void direct_enter_hit(struct pt_regs *regs)
{
	this_cpu_inc(under_way);
	direct_hit(regs);
}

asmlinkage void direct_leave(struct pt_regs *regs)
{
	direct_hit(regs);
	this_cpu_dec(under_way);
}

static long direct_nothing(long a, long b, long c, long d, long e, long f)
{
	return 0;
}

/* The code behind the site. A direct jump: an indirect one would need an ENDBR there. */
DEFINE_STATIC_CALL(direct_body, direct_nothing);
/* In this object, because objtool looks for a static call's key beside the call. */
asmlinkage void direct_call_body(void);
asm(".pushsection .text, \"ax\"\n"
    ".globl direct_call_body\n"
    ".type direct_call_body, @function\n"
    "direct_call_body: jmp " STATIC_CALL_TRAMP_STR(direct_body) "\n"
								".size direct_call_body, . - direct_call_body\n"
								".popsection\n");

/* direct_trampolines.S */
asmlinkage void direct_at_entry(void);
asmlinkage void direct_at_exit(void);
asmlinkage void direct_at_both(void);

/* Bit 0 of a trampoline's address asks for a jump from the site, which leaves no address of the site on the stack. */
#define BY_JUMP IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_JMP)

/* ---- the module ---- */

static unsigned long site; /* of vfs_read */
static unsigned long trampoline;
static struct ftrace_ops direct_ops;

static int direct_find(void)
{
	static struct kprobe kprobe = {.symbol_name = "vfs_read", .flags = KPROBE_FLAG_DISABLED};
	static const unsigned char nop[5] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	int error = register_kprobe(&kprobe);

	if (error)
		return error;
	site = (unsigned long)kprobe.addr;
	unregister_kprobe(&kprobe);
	if (memcmp((void *)site, nop, sizeof(nop)))
		site += 4;
	return memcmp((void *)site, nop, sizeof(nop)) ? -ENOENT : 0;
}

/* A trampoline is registered for the functions of an ops; up to 6.3 it was for one site. */
#define BY_OPS __builtin_types_compatible_p(typeof(register_ftrace_direct), int(struct ftrace_ops *, unsigned long))

static int direct_register(void)
{
	void *attach = register_ftrace_direct;
	int error;

	if (!BY_OPS)
		return ((int (*)(unsigned long, unsigned long))attach)(site, trampoline);
	error = ftrace_set_filter_ip(&direct_ops, site, 0, 0);
	return error ? error : ((int (*)(struct ftrace_ops *, unsigned long))attach)(&direct_ops, trampoline);
}

static void direct_unregister(void)
{
	void *detach = unregister_ftrace_direct;

	if (BY_OPS)
		((int (*)(struct ftrace_ops *, unsigned long, bool))detach)(&direct_ops, trampoline, true);
	else
		((int (*)(unsigned long, unsigned long))detach)(site, trampoline);
}

static int __init direct_init(void)
{
	int error = direct_find();

	if (error)
		return error;
	static_call_update(direct_body, (typeof(&direct_nothing))(site + 5));
	if (!strcmp(how, "direct_exit"))
		trampoline = (unsigned long)direct_at_exit;
	else if (!strcmp(how, "direct_both"))
		trampoline = (unsigned long)direct_at_both;
	else
		trampoline = (unsigned long)direct_at_entry;
	OPTIMIZER_HIDE_VAR(trampoline); /* an address with a bit in it looks like one that is no function's */
	if (strcmp(how, "direct"))
		trampoline |= BY_JUMP;
	return direct_register();
}

static long direct_sum(const long __percpu *of)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(of, cpu);
	return sum;
}

static void __exit direct_end(void)
{
	direct_unregister();
	/* Those that are in a trampoline before they count, then those under way, then those that no longer count. */
	synchronize_rcu_tasks();
	while (direct_sum(&under_way))
		schedule_timeout_uninterruptible(1);
	synchronize_rcu_tasks();
	pr_info("direct: %ld hits\n", direct_sum((const long __percpu *)&hits));
}

module_init(direct_init);
module_exit(direct_end);
MODULE_DESCRIPTION("counter of calls or returns by a trampoline");
MODULE_LICENSE("GPL");
