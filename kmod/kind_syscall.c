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
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <tapir/string.h>
#include <tapir/syscall_hit.h>
#include "call_data.h"
#include "compat/tracepoint.h"
#include "condition.h"
#include "hit.h"
#include "kind.h"
#include "syscall_args.h"
#include "syscall_parts.h"
#include "tracepoints.h"
#include "report.h"

/* The values that handlers get: see enum tapir_syscall_value. */
#define TAPIR_SYSCALL_VALUES (TAPIR_SYSCALL_FIRST + TAPIR_SYSCALL_ARGUMENTS)

/* Calls with something saved at their entry that can be under way at once; more are missed, and counted. */
#define TAPIR_SYSCALL_CALLS max(4096u, 64u * num_possible_cpus())

/* Numbers of 64-bit programs up to here are found at once, also those that the module does not know. */
#define TAPIR_SYSCALL_NUMBERS 512u

enum { TAPIR_AT_ENTRY, TAPIR_AT_RETURN, TAPIR_SYSCALL_EVENTS };

struct tapir_syscall_probe {
	struct tapir_hook hook;
	const struct tapir_syscall_arg *arg;
	struct tapir_calls *calls; /* NULL: saves nothing at the entry */
	u32 probe;
	u8 way; /* enum tapir_syscall_way */
};
static struct tapir_syscall_probe *tapir_syscall_probes;
static u32 tapir_nsyscall_probes;

/* How a hit reaches its handler. */
enum tapir_syscall_way {
	TAPIR_SYSCALL_SLOW,
	/* A direct call of its own. */
	TAPIR_SYSCALL_LEAF_0,
	TAPIR_SYSCALL_LEAF_1,
	TAPIR_SYSCALL_HANDLER_0,
	TAPIR_SYSCALL_HANDLER_1,
	/* ... after the attempt without a context. */
	TAPIR_SYSCALL_ATTEMPT_0,
	TAPIR_SYSCALL_ATTEMPT_1,
};

/* A probe that wants calls of one number; they are chained. */
struct tapir_syscall_link {
	const struct tapir_syscall_probe *probe;
	const struct tapir_syscall_entry *entry; /* NULL: none of the module's table */
	u32 next;				 /* 0: the last */
	u8 way;					 /* enum tapir_syscall_way */
	u8 alone;				 /* the same, but slow if others follow */
	bool enters;				 /* only to save values for a return */
};
static struct tapir_syscall_link *tapir_syscall_links; /* from 1 on */
static u32 tapir_nsyscall_links;

/* Indexed by event and ABI. The last of `first` is for all numbers from there on, and for negative ones. */
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

static bool tapir_syscall_no_attempt(const void *place, u32 cpu)
{
	return false;
}

#define TAPIR_SYSCALL_OWN 2
DEFINE_STATIC_CALL(tapir_syscall_handler_0, tapir_syscall_no_handler);
DEFINE_STATIC_CALL(tapir_syscall_handler_1, tapir_syscall_no_handler);
DEFINE_STATIC_CALL(tapir_syscall_attempt_0, tapir_syscall_no_attempt);
DEFINE_STATIC_CALL(tapir_syscall_attempt_1, tapir_syscall_no_attempt);
DEFINE_STATIC_CALL(tapir_syscall_leaf_0, tapir_syscall_no_leaf);
DEFINE_STATIC_CALL(tapir_syscall_leaf_1, tapir_syscall_no_leaf);

#define TAPIR_SYSCALL_BIND(n)                                                                                                      \
	static u8 tapir_syscall_bind_##n(const struct tapir_probe *probe)                                                          \
	{                                                                                                                          \
		if (probe->leaf.arguments) {                                                                                       \
			static_call_update(tapir_syscall_leaf_##n, probe->leaf.arguments);                                         \
			return TAPIR_SYSCALL_LEAF_##n;                                                                             \
		}                                                                                                                  \
		static_call_update(tapir_syscall_handler_##n, probe->handler);                                                     \
		if (!probe->attempt)                                                                                               \
			return TAPIR_SYSCALL_HANDLER_##n;                                                                          \
		static_call_update(tapir_syscall_attempt_##n, probe->attempt);                                                     \
		return TAPIR_SYSCALL_ATTEMPT_##n;                                                                                  \
	}

TAPIR_SYSCALL_BIND(0)
TAPIR_SYSCALL_BIND(1)

static void tapir_syscall_save(const struct tapir_syscall_link *link, struct pt_regs *regs, const u64 *args)
{
	const struct tapir_syscall_probe *p = link->probe;
	const struct tapir_probe *probe = p->hook.probe;
	struct tapir_call *call = tapir_call_begin(p->calls, probe->saved_bytes);
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
		call = tapir_call_end(p->calls);
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
static noinline void tapir_syscall_hit_part(const struct tapir_syscall_link *link, struct pt_regs *regs, const u64 *values)
{
	u64 own[TAPIR_SYSCALL_VALUES];

	memcpy(own, values, sizeof(own));
	if (tapir_syscall_part(link->entry->ipc, own + TAPIR_SYSCALL_FIRST) == link->entry->part)
		tapir_syscall_hit_slow(link, regs, own);
}

/* A leaf is counted first: its call can then be a jump. */
#define TAPIR_SYSCALL_HITS(n)                                                                                                      \
	static __always_inline void tapir_syscall_hit_leaf_##n(const struct tapir_syscall_link *link, u64 number, u64 result,      \
							       u64 a, u64 b, u64 c)                                                \
	{                                                                                                                          \
		this_cpu_inc(link->probe->hook.cell->handled);                                                                     \
		static_call(tapir_syscall_leaf_##n)(raw_smp_processor_id(), number, result, a, b, c);                              \
	}                                                                                                                          \
                                                                                                                                   \
	static __always_inline void tapir_syscall_hit_handler_##n(const struct tapir_syscall_link *link, struct pt_regs *regs,     \
								  const u64 *values)                                               \
	{                                                                                                                          \
		const struct tapir_hook *hook = &link->probe->hook;                                                                \
		struct tapir_ctx *c = tapir_enter(hook, regs, instruction_pointer(regs));                                          \
                                                                                                                                   \
		if (TAPIR_UNLIKELY(!c))                                                                                            \
			return;                                                                                                    \
		c->args = values;                                                                                                  \
		c->place = link->entry;                                                                                            \
		static_call(tapir_syscall_handler_##n)(c);                                                                         \
		tapir_leave(c, hook);                                                                                              \
	}                                                                                                                          \
                                                                                                                                   \
	static noinline TAPIR_NO_STACK_PROTECTOR void tapir_syscall_hit_alone_##n(const struct tapir_syscall_link *link,           \
										  struct pt_regs *regs, u64 number, u64 result)    \
	{                                                                                                                          \
		u64 values[TAPIR_SYSCALL_VALUES];                                                                                  \
                                                                                                                                   \
		values[TAPIR_SYSCALL_NUMBER] = number;                                                                             \
		values[TAPIR_SYSCALL_RESULT] = result;                                                                             \
		tapir_syscall_wide_arguments(regs, values + TAPIR_SYSCALL_FIRST);                                                  \
		tapir_syscall_hit_handler_##n(link, regs, values);                                                                 \
	}                                                                                                                          \
                                                                                                                                   \
	static __always_inline bool tapir_syscall_hit_attempt_##n(const struct tapir_syscall_link *link)                           \
	{                                                                                                                          \
		if (!static_call(tapir_syscall_attempt_##n)(link->entry, raw_smp_processor_id()))                                  \
			return false;                                                                                              \
		this_cpu_inc(link->probe->hook.cell->handled);                                                                     \
		return true;                                                                                                       \
	}                                                                                                                          \
                                                                                                                                   \
	/* Reads values again that registers still have, rather than keeping them. */                                              \
	static noinline void tapir_syscall_hit_again_##n(const struct tapir_syscall_link *link)                                    \
	{                                                                                                                          \
		struct pt_regs *regs = task_pt_regs(current);                                                                      \
		bool at_return = link->probe->arg->at_return;                                                                      \
                                                                                                                                   \
		tapir_syscall_hit_alone_##n(link, regs, syscall_get_nr(current, regs),                                             \
					    at_return ? syscall_get_return_value(current, regs) : 0);                              \
	}                                                                                                                          \
                                                                                                                                   \
	static noinline void tapir_syscall_hit_try_##n(const struct tapir_syscall_link *link)                                      \
	{                                                                                                                          \
		if (TAPIR_UNLIKELY(!tapir_syscall_hit_attempt_##n(link)))                                                          \
			tapir_syscall_hit_again_##n(link);                                                                         \
	}

TAPIR_SYSCALL_HITS(0)
TAPIR_SYSCALL_HITS(1)

/* Runs this link and the following ones, each in the way it needs. */
static noinline void tapir_syscall_hit_any(const struct tapir_syscall_link *link, struct pt_regs *regs, u64 number, u64 result,
					   bool narrow)
{
	u64 values[TAPIR_SYSCALL_VALUES];

	values[TAPIR_SYSCALL_NUMBER] = number;
	values[TAPIR_SYSCALL_RESULT] = result;
	tapir_syscall_arguments(regs, narrow, values + TAPIR_SYSCALL_FIRST);
	for (;; link = &tapir_syscall_links[link->next]) {
		switch (tapir_hit_is_plain() ? link->way : TAPIR_SYSCALL_SLOW) {
		case TAPIR_SYSCALL_LEAF_0:
			tapir_syscall_hit_leaf_0(link, number, result, values[2], values[3], values[4]);
			break;
		case TAPIR_SYSCALL_LEAF_1:
			tapir_syscall_hit_leaf_1(link, number, result, values[2], values[3], values[4]);
			break;
		case TAPIR_SYSCALL_ATTEMPT_0:
			if (tapir_syscall_hit_attempt_0(link))
				break;
			fallthrough;
		case TAPIR_SYSCALL_HANDLER_0:
			tapir_syscall_hit_handler_0(link, regs, values);
			break;
		case TAPIR_SYSCALL_ATTEMPT_1:
			if (tapir_syscall_hit_attempt_1(link))
				break;
			fallthrough;
		case TAPIR_SYSCALL_HANDLER_1:
			tapir_syscall_hit_handler_1(link, regs, values);
			break;
		default:
			if (link->entry && link->entry->part)
				tapir_syscall_hit_part(link, regs, values);
			else
				tapir_syscall_hit_slow(link, regs, values);
		}
		if (!link->next)
			return;
	}
}

/* Calls of 32-bit programs, and with numbers beyond the table. */
static noinline void tapir_syscall_report_rare(u32 event, struct pt_regs *regs, long number, u64 result)
{
	bool narrow = tapir_syscall_is_32bit();
	const struct tapir_syscall_numbers *numbers = &tapir_syscall_numbers[event][narrow];
	unsigned long slot;
	u32 at;

	number = tapir_syscall_plain_number(number, narrow);
	slot = min_t(unsigned long, number, numbers->count);
	at = numbers->first[array_index_nospec(slot, numbers->count + 1ul)];
	if (at)
		tapir_syscall_hit_any(&tapir_syscall_links[at], regs, number, result, narrow);
}

/*
 * Ends only in calls, so that it saves no registers: most system calls of the machine are of no interest, and this path is all they
 * cost.
 */
static __always_inline void tapir_syscall_report(u32 event, struct pt_regs *regs, long number, u64 result)
{
	const struct tapir_syscall_numbers *numbers = &tapir_syscall_numbers[event][0];
	const struct tapir_syscall_link *link;
	u32 at;

	if (TAPIR_UNLIKELY(tapir_syscall_is_32bit() || (unsigned long)number >= numbers->count)) {
		tapir_syscall_report_rare(event, regs, number, result);
		return;
	}
	at = numbers->first[array_index_nospec(number, numbers->count)];
	if (!at)
		return;
	link = &tapir_syscall_links[at];
	if (TAPIR_UNLIKELY(!tapir_hit_is_plain()))
		tapir_syscall_hit_any(link, regs, number, result, false);
	else if (link->alone == TAPIR_SYSCALL_ATTEMPT_0)
		tapir_syscall_hit_try_0(link);
	else if (link->alone == TAPIR_SYSCALL_LEAF_0)
		tapir_syscall_hit_leaf_0(link, number, result, tapir_syscall_wide_argument(regs, 0),
					 tapir_syscall_wide_argument(regs, 1), tapir_syscall_wide_argument(regs, 2));
	else if (link->alone == TAPIR_SYSCALL_HANDLER_0)
		tapir_syscall_hit_alone_0(link, regs, number, result);
	else if (link->alone == TAPIR_SYSCALL_ATTEMPT_1)
		tapir_syscall_hit_try_1(link);
	else if (link->alone == TAPIR_SYSCALL_LEAF_1)
		tapir_syscall_hit_leaf_1(link, number, result, tapir_syscall_wide_argument(regs, 0),
					 tapir_syscall_wide_argument(regs, 1), tapir_syscall_wide_argument(regs, 2));
	else if (link->alone == TAPIR_SYSCALL_HANDLER_1)
		tapir_syscall_hit_alone_1(link, regs, number, result);
	else
		tapir_syscall_hit_any(link, regs, number, result, false);
}

static void tapir_syscall_enter(void *data, struct pt_regs *regs, long number)
{
	tapir_tracepoint_enter();
	tapir_syscall_report(TAPIR_AT_ENTRY, regs, number, 0);
	tapir_tracepoint_leave();
}

static void tapir_syscall_exit(void *data, struct pt_regs *regs, long result)
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

	struct tapir_syscall_link *link;
	u8 way = enters || (entry && entry->part) ? TAPIR_SYSCALL_SLOW : p->way;

	/* In the order of the probes. */
	while (*at) {
		link = &tapir_syscall_links[*at];
		link->alone = TAPIR_SYSCALL_SLOW;
		at = &link->next;
	}
	*at = ++tapir_nsyscall_links;
	link = &tapir_syscall_links[*at];
	*link = (struct tapir_syscall_link){.probe = p, .entry = entry, .way = way, .alone = way, .enters = enters};
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
	u32 counts[2] = {TAPIR_SYSCALL_NUMBERS, 0}, links = 1, event, abi, i;

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
		*p = (struct tapir_syscall_probe){.hook = tapir_hook_of(i), .arg = probe->arg, .probe = i};
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
			p->way = own ? tapir_syscall_bind_1(p->hook.probe) : tapir_syscall_bind_0(p->hook.probe);
			own++;
		}
		if (p->calls)
			tapir_syscall_link_probe(p, TAPIR_AT_ENTRY, true);
		tapir_syscall_link_probe(p, p->arg->at_return ? TAPIR_AT_RETURN : TAPIR_AT_ENTRY, false);
		tapir_ledger_add_attached(p->probe, p->arg->every ? 1 : p->arg->count);
	}
}

/* ---- the kind ---- */

static struct tapir_listener tapir_syscall_listener_list[] = {
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

/* An attached listener makes every system call of the machine a little slower. */
static const struct tapir_listeners tapir_syscall_listeners = {
    .list = tapir_syscall_listener_list, .count = ARRAY_SIZE(tapir_syscall_listener_list), .wants = tapir_syscall_wants};

static void tapir_syscall_rearm(void)
{
	tapir_listeners_follow(&tapir_syscall_listeners);
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
	tapir_listeners_stop(&tapir_syscall_listeners);
	tapir_syscall_free();
}

static void tapir_syscall_demand(u32 probe, struct tapir_demand *demand)
{
	tapir_calls_demand(probe, TAPIR_SYSCALL_CALLS, demand);
}

static int tapir_syscall_arm(void)
{
	int error = tapir_syscall_find_probes();

	if (!error)
		error = tapir_syscall_tables();
	if (error) {
		tapir_session_fail(TAPIR_TEXT(NoMemorySyscalls));
		tapir_syscall_free();
		return error;
	}
	tapir_syscall_link_all();
	error = tapir_listeners_follow(&tapir_syscall_listeners);
	if (error)
		tapir_syscall_disarm();
	return error;
}

/* "kernel.syscall("read").return" */
static void tapir_syscall_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	const struct tapir_syscall_arg *arg = c->probe->arg;
	const struct tapir_syscall_entry *entry = c->place;
	const char *const here[] = {"kernel.syscall(\"", entry ? tapir_syscall_kernel_name(entry) : "",
				    arg->at_return ? "\").return" : "\")"};

	if (entry && !arg->every)
		tapir_str_join(dst, here, ARRAY_SIZE(here), cap);
	else
		tapir_str_copy(dst, c->probe->point, cap);
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
    TAPIR_KIND_LISTED(syscall),	  TAPIR_KIND_WAY(Syscall),	  .demand = tapir_syscall_demand, .arm = tapir_syscall_arm,
    .rearm = tapir_syscall_rearm, .disarm = tapir_syscall_disarm, .point = tapir_syscall_point,	  .value = tapir_syscall_value,
};
