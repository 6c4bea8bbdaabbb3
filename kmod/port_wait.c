// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: where threads wait, and for what. Linked when a script asks. */
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <tapir/port.h>
#include <tapir/wait.h>
#include "compat/task_state.h"
#include "hit.h"
#include "kernel_walk.h"

/* The kernel's unwinder walks what remembered rules do not. Its frames lie behind the room for a name. */
#define TAPIR_WAIT_FRAMES_AT TAPIR_WALK_TEXT

static u64 *tapir_wait_frames(struct tapir_ctx *c, u32 *count)
{
	u64 *frames = (u64 *)((char *)c->scratch + TAPIR_WAIT_FRAMES_AT);

	*count = tapir_port_kernel_stack(c, frames, TAPIR_WAIT_FRAMES);
	return frames;
}

static noinline s64 tapir_wait_site_slowly(struct tapir_ctx *c)
{
	u32 count, i;
	const u64 *frames = tapir_wait_frames(c, &count);

	for (i = 0; i < count; i++)
		if (!(tapir_kernel_walk_facts(frames[i], !i, c->scratch) & TAPIR_RULE_SKIP))
			return (s64)frames[i];
	return TAPIR_WAIT_UNKNOWN;
}

static noinline u32 tapir_wait_kind_slowly(struct tapir_ctx *c)
{
	u32 count, i, weak = TAPIR_WAIT_OTHER;
	const u64 *frames = tapir_wait_frames(c, &count);

	for (i = 0; i < count; i++) {
		u64 facts = tapir_kernel_walk_facts(frames[i], !i, c->scratch);
		u32 kind = tapir_rule_kind(facts);

		if (kind && !(facts & TAPIR_RULE_WEAK))
			return kind;
		weak = weak ? weak : kind;
	}
	return count ? weak : TAPIR_WAIT_KINDS;
}

static bool tapir_wait_has_stack(struct tapir_ctx *c)
{
	return c->level != TAPIR_LEVEL_SESSION && !tapir_port_user_mode(c);
}

static __always_inline s64 tapir_wait_site_of(struct tapir_kernel_walk *w)
{
	u32 i;

	for (i = 0; i < TAPIR_WAIT_FRAMES && w->state == TAPIR_WALK_ON; i++) {
		if (!(w->rule & TAPIR_RULE_SKIP))
			return (s64)w->ip;
		tapir_kernel_walk_step(w);
	}
	return w->state == TAPIR_WALK_END ? TAPIR_WAIT_NOWHERE : TAPIR_WAIT_UNKNOWN;
}

/* TAPIR_WAIT_KINDS: the stack could not be walked so far. */
static __always_inline u32 tapir_wait_kind_of_walk(struct tapir_kernel_walk *w)
{
	u32 i, weak = TAPIR_WAIT_OTHER;

	for (i = 0; i < TAPIR_WAIT_FRAMES && w->state == TAPIR_WALK_ON; i++) {
		u32 kind = tapir_rule_kind(w->rule);

		if (kind && !(w->rule & TAPIR_RULE_WEAK))
			return kind;
		weak = weak ? weak : kind;
		tapir_kernel_walk_step(w);
	}
	return w->state == TAPIR_WALK_LOST ? TAPIR_WAIT_KINDS : weak;
}

s64 tapir_port_wait_site(struct tapir_ctx *c)
{
	struct tapir_kernel_walk w;
	s64 site;

	if (!tapir_wait_has_stack(c))
		return TAPIR_WAIT_NOWHERE;
	tapir_kernel_walk_hit(&w, c);
	site = tapir_wait_site_of(&w);
	return likely(site != TAPIR_WAIT_UNKNOWN) ? site : tapir_wait_site_slowly(c);
}

u32 tapir_port_wait_kind(struct tapir_ctx *c)
{
	struct tapir_kernel_walk w;
	u32 kind;

	if (!tapir_wait_has_stack(c) || tapir_task_is_ready(current))
		return TAPIR_WAIT_NOT;
	tapir_kernel_walk_hit(&w, c);
	kind = tapir_wait_kind_of_walk(&w);
	return likely(kind != TAPIR_WAIT_KINDS) ? kind : tapir_wait_kind_slowly(c);
}

/* ---- other tasks ---- */

struct tapir_asleep {
	struct task_struct *task;
	unsigned long switches;
};

/* The task with this address, or NULL. Under RCU, which keeps it. */
static struct task_struct *tapir_task_at(u64 address)
{
	struct task_struct *task = (struct task_struct *)(uintptr_t)address, *found;
	pid_t pid;

	if (tapir_port_read_kernel(&pid, address + offsetof(struct task_struct, pid), sizeof(pid)) || pid <= 0)
		return NULL;
	found = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	return found == task ? task : NULL;
}

/* Begins a walk if the task is there and on no processor. Then tapir_asleep_end() is due. */
static bool tapir_asleep_begin(struct tapir_asleep *asleep, struct tapir_kernel_walk *w, struct tapir_ctx *c, u64 address)
{
	rcu_read_lock();
	asleep->task = tapir_task_at(address);
	if (asleep->task) {
		asleep->switches = tapir_switches(asleep->task);
		smp_rmb();
		if (!tapir_is_on_cpu(asleep->task)) {
			tapir_kernel_walk_task(w, asleep->task, c->scratch);
			return true;
		}
	}
	rcu_read_unlock();
	return false;
}

/* Returns false if the task has run meanwhile, or gives its stack back: what was found is worth nothing. */
static bool tapir_asleep_end(const struct tapir_asleep *asleep)
{
	bool stood;

	smp_rmb();
	stood = !tapir_is_on_cpu(asleep->task) && tapir_switches(asleep->task) == asleep->switches &&
		!READ_ONCE(asleep->task->exit_state);
	rcu_read_unlock();
	return stood;
}

static bool tapir_task_was_hit(const struct tapir_ctx *c, u64 task)
{
	return task == (u64)(uintptr_t)current && c->level != TAPIR_LEVEL_SESSION;
}

s64 tapir_port_task_wait_site(struct tapir_ctx *c, u64 task)
{
	struct tapir_asleep asleep;
	struct tapir_kernel_walk w;
	s64 site;

	if (tapir_task_was_hit(c, task))
		return tapir_port_wait_site(c);
	if (!tapir_asleep_begin(&asleep, &w, c, task))
		return TAPIR_WAIT_UNKNOWN;
	site = tapir_wait_site_of(&w);
	return tapir_asleep_end(&asleep) ? site : TAPIR_WAIT_UNKNOWN;
}

u32 tapir_port_task_wait_kind(struct tapir_ctx *c, u64 task)
{
	struct tapir_asleep asleep;
	struct tapir_kernel_walk w;
	u32 kind;

	if (tapir_task_was_hit(c, task))
		return tapir_port_wait_kind(c);
	if (!tapir_asleep_begin(&asleep, &w, c, task))
		return TAPIR_WAIT_KINDS;
	kind = tapir_task_is_ready(asleep.task) ? TAPIR_WAIT_NOT : tapir_wait_kind_of_walk(&w);
	return tapir_asleep_end(&asleep) ? kind : TAPIR_WAIT_KINDS;
}

u32 tapir_port_task_stack(struct tapir_ctx *c, u64 task, u64 *addresses, u32 max)
{
	struct tapir_asleep asleep;
	struct tapir_kernel_walk w;
	u32 count = 0;

	if (tapir_task_was_hit(c, task))
		return tapir_port_kernel_stack(c, addresses, max);
	if (!tapir_asleep_begin(&asleep, &w, c, task))
		return 0;
	while (count < max && w.state == TAPIR_WALK_ON) {
		addresses[count++] = w.ip;
		tapir_kernel_walk_step(&w);
	}
	return tapir_asleep_end(&asleep) ? count : 0;
}
