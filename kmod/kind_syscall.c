// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.syscall. Every system call passes the tracepoints sys_enter and sys_exit; a table by its number says which probes want it.
 * The kernel's threads make none.
 *
 * A number may stand for several calls of the module's table: socketcall (102 of a 32-bit program) for itself, and for those that
 * its first argument says. At the return the arguments are still in the registers, but for execve, after which they are all 0.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <tapir/syscall_hit.h>
#include "call_data.h"
#include "compat/tracepoint.h"
#include "condition.h"
#include "context.h"
#include "kind.h"
#include "syscall_args.h"
#include "syscall_parts.h"
#include "tracepoints.h"

/* What handlers get: see enum tapir_syscall_value. */
#define TAPIR_SYSCALL_VALUES (TAPIR_SYSCALL_FIRST + TAPIR_SYSCALL_ARGUMENTS)

/* Calls with something saved at their entry that can be under way at once; more are missed, and counted. */
#define TAPIR_SYSCALL_CALLS max(4096u, 64u * num_possible_cpus())

enum { TAPIR_AT_ENTRY, TAPIR_AT_RETURN, TAPIR_SYSCALL_EVENTS };

struct tapir_syscall_probe {
	struct tapir_hook hook;
	const struct tapir_syscall_arg *arg;
	struct tapir_calls *calls; /* NULL: saves nothing at the entry */
	u32 probe;
	s8 own; /* which direct call its handler has; -1: none */
};
static struct tapir_syscall_probe *tapir_syscall_probes;
static u32 tapir_nsyscall_probes;

/* A probe that wants calls of one number; they are chained. */
struct tapir_syscall_link {
	const struct tapir_syscall_probe *probe;
	const struct tapir_syscall_entry *entry; /* NULL: none of the module's table */
	u32 next;				 /* 0: the last */
	bool enters;				 /* only to save what a return wants to know */
};
static struct tapir_syscall_link *tapir_syscall_links; /* from 1 on */
static u32 tapir_nsyscall_links;

/* By event and ABI. The last of `first` is for all numbers from there on, and for negative ones. */
static struct tapir_syscall_numbers {
	u32 count;
	u32 *first;
} tapir_syscall_numbers[TAPIR_SYSCALL_EVENTS][2];

/* ---- hits ---- */

/* The first few probes without a condition call their handlers directly, without an indirect branch and its mitigations. */
static void tapir_syscall_no_handler(struct tapir_ctx *c)
{
}

static void tapir_syscall_no_leaf(u32 cpu, u64 a, u64 b, u64 c, u64 d, u64 e)
{
}

#define TAPIR_SYSCALL_OWN 2
DEFINE_STATIC_CALL(tapir_syscall_handler_0, tapir_syscall_no_handler);
DEFINE_STATIC_CALL(tapir_syscall_handler_1, tapir_syscall_no_handler);
DEFINE_STATIC_CALL(tapir_syscall_leaf_0, tapir_syscall_no_leaf);
DEFINE_STATIC_CALL(tapir_syscall_leaf_1, tapir_syscall_no_leaf);

#define TAPIR_SYSCALL_BIND(n)                                                                                                      \
	if (probe->leaf.arguments)                                                                                                 \
		static_call_update(tapir_syscall_leaf_##n, probe->leaf.arguments);                                                 \
	else                                                                                                                       \
		static_call_update(tapir_syscall_handler_##n, probe->handler)

static void tapir_syscall_bind(u32 n, const struct tapir_probe *probe)
{
	if (n == 0) {
		TAPIR_SYSCALL_BIND(0);
	} else {
		TAPIR_SYSCALL_BIND(1);
	}
}

static __always_inline void tapir_syscall_hit_leaf(const struct tapir_syscall_probe *p, const u64 *a)
{
	u32 cpu = raw_smp_processor_id();

	if (p->own == 0)
		static_call(tapir_syscall_leaf_0)(cpu, a[0], a[1], a[2], a[3], a[4]);
	else
		static_call(tapir_syscall_leaf_1)(cpu, a[0], a[1], a[2], a[3], a[4]);
	this_cpu_inc(p->hook.cell->handled);
}

static __always_inline void tapir_syscall_hit_own(const struct tapir_syscall_probe *p, const struct tapir_syscall_entry *entry,
						  struct pt_regs *regs, const u64 *args)
{
	struct tapir_ctx *c = tapir_enter(&p->hook, regs, instruction_pointer(regs));

	if (!c)
		return;
	c->args = args;
	c->place = entry;
	if (p->own == 0)
		static_call(tapir_syscall_handler_0)(c);
	else
		static_call(tapir_syscall_handler_1)(c);
	tapir_leave(c, &p->hook);
}

/* A task is in one call at a time: what an earlier one left, of which the return was not seen, gives way. */
#define TAPIR_SYSCALL_STACK 1

static void tapir_syscall_save(const struct tapir_syscall_link *link, struct pt_regs *regs, const u64 *args)
{
	const struct tapir_syscall_probe *p = link->probe;
	const struct tapir_probe *probe = p->hook.probe;
	struct tapir_call *call = tapir_call_begin(p->calls, 0, TAPIR_SYSCALL_STACK, probe->saved_bytes);
	struct tapir_hit_data hit = {
	    .regs = regs,
	    .ip = instruction_pointer(regs),
	    .args = args,
	    .place = link->entry,
	    .handler = probe->entry,
	};

	if (!call)
		return;
	hit.saved = (char *)call->data;
	if (tapir_hit_entry(&p->hook, &hit))
		tapir_call_keep(p->calls, call);
	else
		tapir_call_drop(p->calls, call);
}

static noinline void tapir_syscall_hit_slow(const struct tapir_syscall_link *link, struct pt_regs *regs, const u64 *args)
{
	const struct tapir_syscall_probe *p = link->probe;
	struct tapir_call *call = NULL;

	if (link->enters) {
		tapir_syscall_save(link, regs, args);
		return;
	}
	if (p->calls) {
		call = tapir_call_end(p->calls, 0, TAPIR_SYSCALL_STACK);
		/* Its entry was skipped or missed, and counted; or it was another task's, as that of a fork's child. */
		if (!call)
			return;
	}
	tapir_hit_at(&p->hook, &(struct tapir_hit_data){
				   .regs = regs,
				   .ip = instruction_pointer(regs),
				   .args = args,
				   .place = link->entry,
				   .saved = call ? (char *)call->data : NULL,
				   .handler = p->hook.probe->handler,
			       });
	if (call)
		tapir_call_drop(p->calls, call);
}

/* The calls that socketcall or ipc stand for. */
static noinline void tapir_syscall_hit_part(const struct tapir_syscall_link *link, struct pt_regs *regs, const u64 *args)
{
	u64 own[TAPIR_SYSCALL_VALUES];

	memcpy(own, args, sizeof(own));
	if (tapir_syscall_part(link->entry->ipc, own + TAPIR_SYSCALL_FIRST) == link->entry->part)
		tapir_syscall_hit_slow(link, regs, own);
}

static __always_inline void tapir_syscall_report(u32 event, struct pt_regs *regs, long number, long result)
{
	bool narrow = tapir_syscall_is_32bit();
	const struct tapir_syscall_numbers *numbers = &tapir_syscall_numbers[event][narrow];
	u64 args[TAPIR_SYSCALL_VALUES];
	const struct tapir_syscall_link *link;
	u32 at;

	if (!numbers->first)
		return;
	number = tapir_syscall_plain_number(number, narrow);
	at = numbers->first[min_t(unsigned long, number, numbers->count)];
	if (!at)
		return;
	args[TAPIR_SYSCALL_NUMBER] = number;
	args[TAPIR_SYSCALL_RESULT] = result;
	tapir_syscall_arguments(regs, narrow, args + TAPIR_SYSCALL_FIRST);
	do {
		link = &tapir_syscall_links[at];
		if (link->entry && link->entry->part)
			tapir_syscall_hit_part(link, regs, args);
		else if (link->probe->own < 0 || link->enters || !tapir_hit_is_plain())
			tapir_syscall_hit_slow(link, regs, args);
		else if (link->probe->hook.probe->leaf.arguments)
			tapir_syscall_hit_leaf(link->probe, args);
		else
			tapir_syscall_hit_own(link->probe, link->entry, regs, args);
		at = link->next;
	} while (at);
}

static TAPIR_NO_STACK_PROTECTOR void tapir_syscall_enter(void *data, struct pt_regs *regs, long number)
{
	tapir_tracepoint_enter();
	tapir_syscall_report(TAPIR_AT_ENTRY, regs, number, 0);
	tapir_tracepoint_leave();
}

static TAPIR_NO_STACK_PROTECTOR void tapir_syscall_exit(void *data, struct pt_regs *regs, long result)
{
	tapir_tracepoint_enter();
	tapir_syscall_report(TAPIR_AT_RETURN, regs, syscall_get_nr(current, regs), result);
	tapir_tracepoint_leave();
}

/* A task that leaves for good. */
static void tapir_syscall_leaves(void *data)
{
	u32 i;

	for (i = 0; i < tapir_nsyscall_probes; i++)
		if (tapir_syscall_probes[i].calls)
			tapir_calls_forget(tapir_syscall_probes[i].calls);
}

/* ---- what probes want ---- */

static void tapir_syscall_add_link(u32 event, const struct tapir_syscall_probe *p, const struct tapir_syscall_entry *entry,
				   bool narrow, u32 slot, bool enters)
{
	u32 *at = &tapir_syscall_numbers[event][narrow].first[slot];

	/* In the order of the probes. */
	while (*at)
		at = &tapir_syscall_links[*at].next;
	*at = ++tapir_nsyscall_links;
	tapir_syscall_links[*at] = (struct tapir_syscall_link){.probe = p, .entry = entry, .enters = enters};
}

static const struct tapir_syscall_entry *tapir_syscall_whole(u32 number, bool narrow)
{
	u32 i;

	for (i = 0; i < tapir_module.nsyscalls; i++) {
		const struct tapir_syscall_entry *entry = &tapir_module.syscalls[i];

		if (entry->number == number && entry->narrow == narrow && !entry->part)
			return entry;
	}
	return NULL;
}

static void tapir_syscall_link_probe(const struct tapir_syscall_probe *p, u32 event, bool enters)
{
	const struct tapir_syscall_arg *arg = p->arg;
	u32 i, abi;

	if (!arg->every) {
		for (i = 0; i < arg->count; i++) {
			const struct tapir_syscall_entry *entry = &tapir_module.syscalls[arg->entries[i]];

			tapir_syscall_add_link(event, p, entry, entry->narrow, entry->number, enters);
		}
		return;
	}
	for (abi = 0; abi < 2; abi++)
		for (i = 0; i <= tapir_syscall_numbers[event][abi].count; i++)
			tapir_syscall_add_link(event, p, tapir_syscall_whole(i, abi), abi, i, enters);
}

/* Room for all numbers that the module knows, and for the links. */
static int tapir_syscall_tables(void)
{
	u32 counts[2] = {0, 0}, links = 1, event, abi, i;

	for (i = 0; i < tapir_module.nsyscalls; i++) {
		const struct tapir_syscall_entry *entry = &tapir_module.syscalls[i];

		counts[entry->narrow] = max(counts[entry->narrow], entry->number + 1u);
	}
	for (i = 0; i < tapir_nsyscall_probes; i++) {
		const struct tapir_syscall_probe *p = &tapir_syscall_probes[i];
		u32 own = p->arg->every ? counts[0] + counts[1] + 2 : p->arg->count;

		links += p->hook.probe->entry ? 2 * own : own;
	}
	tapir_syscall_links = kvcalloc(links, sizeof(*tapir_syscall_links), GFP_KERNEL);
	if (!tapir_syscall_links)
		return -ENOMEM;
	for (event = 0; event < TAPIR_SYSCALL_EVENTS; event++) {
		for (abi = 0; abi < 2; abi++) {
			struct tapir_syscall_numbers *numbers = &tapir_syscall_numbers[event][abi];

			numbers->first = kvcalloc(counts[abi] + 1, sizeof(*numbers->first), GFP_KERNEL);
			if (!numbers->first)
				return -ENOMEM;
			numbers->count = counts[abi];
		}
	}
	return 0;
}

static int tapir_syscall_find_probes(void)
{
	u32 i;

	tapir_syscall_probes = kvcalloc(tapir_kind_probes(&tapir_kind_syscall), sizeof(*tapir_syscall_probes), GFP_KERNEL);
	if (!tapir_syscall_probes)
		return -ENOMEM;
	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_probe *probe = &tapir_module.probes[i];
		struct tapir_syscall_probe *p = &tapir_syscall_probes[tapir_nsyscall_probes];

		if (probe->kind != &tapir_kind_syscall)
			continue;
		*p = (struct tapir_syscall_probe){.hook = tapir_hook_of(i), .arg = probe->arg, .probe = i, .own = -1};
		tapir_nsyscall_probes++;
		if (!probe->entry)
			continue;
		p->calls = tapir_calls_create(TAPIR_SYSCALL_CALLS, probe->saved_bytes);
		if (!p->calls)
			return -ENOMEM;
	}
	return 0;
}

static void tapir_syscall_link_all(void)
{
	u32 i, own = 0;

	for (i = 0; i < tapir_nsyscall_probes; i++) {
		struct tapir_syscall_probe *p = &tapir_syscall_probes[i];

		if (own < TAPIR_SYSCALL_OWN && !p->hook.probe->condition && !p->hook.probe->entry) {
			tapir_syscall_bind(own, p->hook.probe);
			p->own = own++;
		}
		if (p->calls)
			tapir_syscall_link_probe(p, TAPIR_AT_ENTRY, true);
		tapir_syscall_link_probe(p, p->arg->at_return ? TAPIR_AT_RETURN : TAPIR_AT_ENTRY, false);
		tapir_ledger_add_attached(p->probe, p->arg->every ? 1 : p->arg->count);
	}
}

/* ---- the kind ---- */

static struct tapir_listener tapir_syscall_listeners[] = {
    {.name = "sys_enter", .callback = tapir_syscall_enter},
    {.name = "sys_exit", .callback = tapir_syscall_exit},
    {.name = "sched_process_exit", .callback = tapir_syscall_leaves},
};

static bool tapir_syscall_wants(u32 listener)
{
	u32 i;

	for (i = 0; i < tapir_nsyscall_probes; i++) {
		const struct tapir_syscall_probe *p = &tapir_syscall_probes[i];

		if (tapir_probe_wanted(p->probe) && (p->calls || p->arg->at_return == listener))
			return true;
	}
	return false;
}

/* Whoever listens makes all system calls of the machine a little slower. */
static int tapir_syscall_follow(void)
{
	int error = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tapir_syscall_listeners) && !error; i++) {
		struct tapir_listener *listener = &tapir_syscall_listeners[i];

		if (!tapir_syscall_wants(i))
			tapir_listen_no_more(listener);
		else if (!listener->tracepoint)
			error = tapir_listen(listener);
	}
	return error;
}

static void tapir_syscall_rearm(void)
{
	tapir_syscall_follow();
}

static void tapir_syscall_free(void)
{
	u32 event, abi, i;

	for (event = 0; event < TAPIR_SYSCALL_EVENTS; event++) {
		for (abi = 0; abi < 2; abi++) {
			kvfree(tapir_syscall_numbers[event][abi].first);
			tapir_syscall_numbers[event][abi].first = NULL;
		}
	}
	kvfree(tapir_syscall_links);
	tapir_syscall_links = NULL;
	tapir_nsyscall_links = 0;
	for (i = 0; i < tapir_nsyscall_probes; i++) {
		struct tapir_syscall_probe *p = &tapir_syscall_probes[i];

		if (p->calls)
			tapir_ledger_add_missed(p->probe, atomic64_read(&p->calls->missed));
		tapir_calls_destroy(p->calls);
	}
	kvfree(tapir_syscall_probes);
	tapir_syscall_probes = NULL;
	tapir_nsyscall_probes = 0;
}

static void tapir_syscall_disarm(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tapir_syscall_listeners); i++)
		tapir_listen_no_more(&tapir_syscall_listeners[i]);
	tracepoint_synchronize_unregister();
	tapir_syscall_free();
}

static int tapir_syscall_arm(void)
{
	int error = tapir_syscall_find_probes();

	if (!error)
		error = tapir_syscall_tables();
	if (error) {
		tapir_session_fail("not enough memory for the probes of system calls");
		tapir_syscall_free();
		return error;
	}
	tapir_syscall_link_all();
	error = tapir_syscall_follow();
	if (error)
		tapir_syscall_disarm();
	return error;
}

/* "kernel.syscall("read").return" */
static void tapir_syscall_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	const struct tapir_syscall_arg *arg = c->probe->arg;
	const struct tapir_syscall_entry *entry = c->place;

	if (entry && !arg->every)
		snprintf(dst, cap, "kernel.syscall(\"%s\")%s", tapir_syscall_kernel_name(entry), arg->at_return ? ".return" : "");
	else
		strscpy(dst, c->probe->point, cap);
}

static bool tapir_syscall_value(const struct tapir_ctx *c, u32 n, u64 *value)
{
	const struct tapir_syscall_arg *arg = c->probe->arg;
	bool known = n ? n <= TAPIR_SYSCALL_ARGUMENTS : arg->at_return && !c->at_entry;

	if (known)
		*value = c->args[n ? TAPIR_SYSCALL_FIRST + n - 1 : TAPIR_SYSCALL_RESULT];
	return known;
}

const struct tapir_kind_ops tapir_kind_syscall = {
    .name = "syscall",
    .leaf = TAPIR_LEAF_ARGUMENTS,
    .arm = tapir_syscall_arm,
    .rearm = tapir_syscall_rearm,
    .disarm = tapir_syscall_disarm,
    .point = tapir_syscall_point,
    .value = tapir_syscall_value,
};
