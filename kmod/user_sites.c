// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Uprobes of the kinds that probe programs: attaching, whose memory gets the breakpoints, and bringing in the pages that a handler
 * is going to read.
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <tapir/abi.h>
#include <tapir/touch.h>
#include "arch/this_arch.h"
#include "condition.h"
#include "kind.h"
#include "port_program.h"
#include "processes.h"
#include "programs.h"
#include "state.h"
#include "sites.h"
#include "user_sites.h"
#include "report.h"
#include "ledger.h"

/*
 * True if any task that runs in this memory belongs to the probe's processes, as far as is known. A vfork() child shares its
 * parent's memory, whose breakpoints must stay.
 */
static bool tapir_memory_wanted(const struct tapir_whose *whose, struct mm_struct *mm)
{
	const struct pid *process = whose->process ? whose->process : tapir_target_process();
	struct task_struct *owner, *named;
	bool own = current->mm == mm, wanted;

	rcu_read_lock();
	owner = tapir_mm_owner(mm);
	named = pid_task((struct pid *)process, PIDTYPE_TGID);
	wanted = (!own && !owner) || (own && tapir_whose_has(whose, current)) || (owner && tapir_whose_has(whose, owner)) ||
		 (named && READ_ONCE(named->mm) == mm);
	rcu_read_unlock();
	return wanted;
}

TAPIR_UPROBE_FILTER(tapir_user_site_filter, consumer, mm)
{
	return tapir_memory_wanted(tapir_user_place_of(consumer)->of->whose, mm);
}

int tapir_user_site_unwanted(const struct tapir_user_site *s)
{
	return tapir_memory_wanted(s->whose, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

static bool tapir_touch_read(void *data, u64 address, void *dst, u32 length)
{
	return !copy_from_user(dst, (const void __user *)(uintptr_t)address, length);
}

/* A hit whose handler has not begun. */
struct tapir_touch_hit {
	const struct tapir_user_site *site;
	struct pt_regs *regs;
	unsigned long ip;
};

static bool tapir_touch_register(void *data, u32 number, u64 *value)
{
	const struct tapir_touch_hit *hit = data;

	if (number == TAPIR_THREAD_POINTER) {
		*value = tapir_thread_pointer();
		return true;
	}
	if (number >= TAPIR_SAVED_REGISTERS)
		return false;
	*value = *tapir_saved_register(hit->regs, number);
	return true;
}

static bool tapir_touch_argument(void *data, u32 number, u64 *value)
{
	const struct tapir_touch_hit *hit = data;

	if (!number || number > TAPIR_REGISTER_ARGUMENTS)
		return false;
	*value = tapir_register_argument(hit->regs, number - 1);
	return true;
}

static bool tapir_touch_program(void *data, u32 program, u64 *bias)
{
	const struct tapir_touch_hit *hit = data;

	return tapir_program_find_at(hit->site->arg, hit->site->site, hit->ip, program, bias) == TAPIR_PROGRAM_MAPPED;
}

void tapir_user_touch_list(const struct tapir_user_site *s, struct pt_regs *regs, unsigned long ip, bool at_entry)
{
	const struct tapir_user_arg *arg = s->arg;
	struct tapir_touch_hit hit = {.site = s, .regs = regs, .ip = ip};
	struct tapir_touch_port port = {
	    .read = tapir_touch_read,
	    .reg = tapir_touch_register,
	    .argument = tapir_touch_argument,
	    .program = tapir_touch_program,
	    .data = &hit,
	};

	if (at_entry)
		tapir_touch_run(arg->entry_touches, arg->nentry_touches, &port);
	else
		tapir_touch_run(arg->touches, arg->ntouches, &port);
}

const char *tapir_user_label(const struct tapir_ctx *c)
{
	const struct tapir_function_site *site = c->place;

	return tapir_site_function(site);
}

void tapir_user_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_site_point(c, c->place, dst, cap);
}

/* ---- places ---- */

/* How many instructions leave the function at a site; 0: it is not known which. */
static u32 tapir_user_exits(const struct tapir_user_arg *arg, u32 index)
{
	return arg->first_exit ? arg->first_exit[index + 1] - arg->first_exit[index] : 0;
}

static u32 tapir_user_places(u32 probe, u32 index)
{
	u32 exits = tapir_user_exits(tapir_module.probes[probe].arg, index);

	return exits ? exits + (tapir_module.probes[probe].entry ? 1 : 0) : 1;
}

static void tapir_user_place_add(struct tapir_user_sites *all, struct tapir_user_site *s, const struct uprobe_consumer *consumer,
				 u64 offset)
{
	struct tapir_user_place *place = &all->places[all->nplaces++];

	place->exit = consumer == &all->exit;
	place->consumer = *consumer;
	if (s->whose->process || s->whose->family)
		place->consumer.filter = tapir_user_site_filter;
	place->of = s;
	place->offset = offset;
	s->nplaces++;
}

/*
 * Exits are armed before the entry, so that no call is kept whose exit is not seen. Where both are one instruction, the kernel
 * calls the consumer first that came last.
 */
static void tapir_user_site_add_places(struct tapir_user_sites *all, struct tapir_user_site *s)
{
	u32 index = s->site - s->arg->code.sites, exits = tapir_user_exits(s->arg, index), i;

	s->places = &all->places[all->nplaces];
	s->nplaces = 0;
	for (i = 0; i < exits; i++)
		tapir_user_place_add(all, s, &all->exit, s->arg->exits[s->arg->first_exit[index] + i]);
	if (!exits)
		tapir_user_place_add(all, s, &all->consumer, s->site->offset);
	else if (s->hook.probe->entry)
		tapir_user_place_add(all, s, &all->entry, s->site->offset);
}

/* The first `count` places, from the last on. Handlers may run until tapir_uprobe_synchronize(). */
static void tapir_user_places_unregister(struct tapir_user_site *s, u32 count)
{
	s->armed = false;
	while (count--) {
		tapir_uprobe_unregister(&s->places[count].handle, &s->places[count].consumer);
		cond_resched();
	}
}

static int tapir_user_place_register(struct tapir_user_site *s, struct tapir_user_place *place)
{
	u32 index = s->site - s->arg->code.sites;
	u8 instruction[TAPIR_RETURN_BYTES];

	if (place->exit) {
		if (!tapir_program_read(s->arg->program, place->offset, instruction, sizeof(instruction)))
			return -EIO;
		place->pops = tapir_return_pops(instruction);
	}
	return tapir_uprobe_register(&place->handle, tapir_program_inode(s->arg->program), place->offset,
				     s->arg->semaphores ? s->arg->semaphores[index] : 0, &place->consumer);
}

/* All places or none. -EINTR: the session is asked to stop. */
static int tapir_user_site_register(struct tapir_user_site *s)
{
	int error = 0;
	u32 i;

	for (i = 0; i < s->nplaces; i++) {
		error = tapir_session_ending() ? -EINTR : tapir_user_place_register(s, &s->places[i]);
		if (error)
			break;
		cond_resched();
	}
	s->armed = !error;
	if (!error || !i)
		return error;
	tapir_user_places_unregister(s, i);
	tapir_uprobe_synchronize();
	return error;
}

static void tapir_user_site_unregister(struct tapir_user_site *s)
{
	tapir_user_places_unregister(s, s->nplaces);
}

/* ---- sites ---- */

static const char *tapir_user_refusal(int error)
{
	switch (error) {
	case -EINVAL:
		return "the offset is not in an executable section";
	case -ENOTSUPP:
	case -EOPNOTSUPP:
		return "the kernel cannot run the instruction there apart from its place";
	case -EIO:
		return "the file's code cannot be read";
	case -ENOMEM:
		return "not enough memory";
	default:
		return "the kernel refuses it";
	}
}

static int tapir_user_site_arm(struct tapir_user_sites *all, u32 probe, const struct tapir_function_site *site)
{
	const struct tapir_user_arg *arg = tapir_module.probes[probe].arg;
	struct tapir_user_site *s = &all->sites[all->count++];
	int error = 0;

	s->hook = tapir_hook_of(probe);
	s->arg = arg;
	s->site = site;
	s->whose = &all->whose[probe];
	s->probe = probe;
	tapir_user_site_add_places(all, s);
	if (tapir_probe_wanted(probe))
		error = tapir_user_site_register(s);
	tapir_ledger_add_attached(probe, !error);
	if (!error || error == -EINTR || !tapir_must_attach(probe))
		return 0;
	tapir_session_fail(TAPIR_TEXT(PlaceRefused), tapir_module.probes[probe].point, site->label, tapir_user_refusal(error),
			   ERR_PTR(error));
	return error;
}

static int tapir_user_probe_arm(struct tapir_user_sites *all, u32 probe)
{
	const struct tapir_user_arg *arg = tapir_module.probes[probe].arg;
	int error = 0;
	u32 i;

	if (!tapir_program_inode(arg->program)) {
		if (!tapir_must_attach(probe))
			return 0;
		tapir_session_fail(TAPIR_TEXT(NoProgramFile), tapir_module.probes[probe].point,
				   tapir_module.programs[arg->program].path);
		return -ENOENT;
	}
	error = tapir_whose_find(&all->whose[probe], probe, !arg->code.optional);
	if (error)
		return error == -ESRCH && arg->code.optional ? 0 : error;
	for (i = 0; i < arg->code.count && !error && !tapir_session_ending(); i++)
		error = tapir_user_site_arm(all, probe, &arg->code.sites[i]);
	return error;
}

static void tapir_user_sites_free(struct tapir_user_sites *all)
{
	u32 i;

	for (i = 0; all->whose && i < tapir_module.nprobes; i++)
		tapir_whose_release(&all->whose[i]);
	kvfree(all->whose);
	kvfree(all->places);
	kvfree(all->sites);
	all->whose = NULL;
	all->places = NULL;
	all->sites = NULL;
	all->count = all->nplaces = 0;
}

static u32 tapir_user_places_total(const struct tapir_kind_ops *kind)
{
	u32 probe, i, total = 0;

	for (probe = 0; probe < tapir_module.nprobes; probe++) {
		const struct tapir_user_arg *arg = tapir_module.probes[probe].arg;

		for (i = 0; tapir_module.probes[probe].kind == kind && i < arg->code.count; i++)
			total += tapir_user_places(probe, i);
	}
	return total;
}

int tapir_user_sites_arm(struct tapir_user_sites *all)
{
	u32 i, total = tapir_sites_total(all->kind), places = tapir_user_places_total(all->kind);
	int error = 0;

	all->count = all->nplaces = 0;
	all->sites = kvcalloc(max(total, 1u), sizeof(*all->sites), GFP_KERNEL);
	all->places = kvcalloc(max(places, 1u), sizeof(*all->places), GFP_KERNEL);
	all->whose = kvcalloc(max(tapir_module.nprobes, 1u), sizeof(*all->whose), GFP_KERNEL);
	if (!all->sites || !all->places || !all->whose) {
		tapir_user_sites_free(all);
		tapir_session_fail(TAPIR_TEXT(NoMemoryProgramPlaces), places);
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes && !error && !tapir_session_ending(); i++)
		if (tapir_module.probes[i].kind == all->kind)
			error = tapir_user_probe_arm(all, i);
	if (error)
		tapir_user_sites_disarm(all);
	return error;
}

void tapir_user_sites_rearm(struct tapir_user_sites *all)
{
	bool removed = false;
	u32 i;

	for (i = 0; i < all->count && !tapir_session_ending(); i++) {
		struct tapir_user_site *s = &all->sites[i];
		bool wanted = tapir_probe_wanted(s->probe);
		int error = 0;

		if (s->armed == wanted)
			continue;
		if (wanted) {
			error = tapir_user_site_register(s);
		} else {
			tapir_user_site_unregister(s);
			removed = true;
		}
		if (error && error != -EINTR && tapir_must_attach(s->probe))
			tapir_session_fail(TAPIR_TEXT(ProbeNotRearmed), tapir_module.probes[s->probe].point);
	}
	if (removed)
		tapir_uprobe_synchronize();
}

void tapir_user_sites_disarm(struct tapir_user_sites *all)
{
	u32 i;

	for (i = 0; i < all->count; i++)
		if (all->sites[i].armed)
			tapir_user_site_unregister(&all->sites[i]);
	tapir_uprobe_synchronize();
	tapir_user_sites_free(all);
}
