// SPDX-License-Identifier: GPL-2.0-or-later
/* Performance events of the threads that run a program: see task_events.h. */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "compat/exec.h"
#include "compat/task_event_list.h"
#include "compat/user_stack.h"
#include "condition.h"
#include "kind.h"
#include "program_places.h"
#include "programs.h"
#include "report.h"
#include "state.h"
#include "task_events.h"

#define TAPIR_SWEEP_TICKS (2 * HZ)
#define TAPIR_LOOKS	  64 /* at the threads that run, until each has its event */

/* The memory cannot go. */
static struct tapir_execution tapir_execution_of(const struct mm_struct *mm)
{
	return (struct tapir_execution){.file = (const void *)READ_ONCE(mm->exe_file), .stack = mm->start_stack};
}

static bool tapir_execution_same(const struct tapir_execution *a, const struct tapir_execution *b)
{
	return a->file == b->file && a->stack == b->stack;
}

static bool tapir_execution_is(const struct tapir_execution *execution, const struct mm_struct *mm)
{
	struct tapir_execution other = tapir_execution_of(mm);

	return tapir_execution_same(execution, &other);
}

/* ---- finding an event ---- */

struct tapir_task_event_wish {
	const struct tapir_task_probe *of;
	struct tapir_execution execution;
};

static bool tapir_task_event_is(const struct perf_event *event, const void *data)
{
	const struct tapir_task_event_wish *wish = data;
	const struct tapir_task_event *e;

	if (READ_ONCE(event->overflow_handler) != wish->of->kind->hit)
		return false;
	e = event->overflow_handler_context;
	return e->of == wish->of && tapir_execution_same(&e->execution, &wish->execution);
}

bool tapir_task_event_current(const struct tapir_task_event *e)
{
	return tapir_execution_is(&e->execution, current->mm);
}

struct perf_event *tapir_task_event_own(const struct tapir_task_probe *p)
{
	struct tapir_task_event_wish wish = {.of = p};
	struct perf_event *event;

	if (!tapir_is_process(current))
		return NULL;
	wish.execution = tapir_execution_of(current->mm);
	rcu_read_lock();
	event = tapir_task_event_find(current, tapir_task_event_is, &wish);
	rcu_read_unlock();
	return event;
}

static bool tapir_task_probe_has(const struct tapir_task_probe *p, const struct task_struct *task,
				 const struct tapir_execution *execution)
{
	struct tapir_task_event_wish wish = {.of = p, .execution = *execution};
	bool has;

	rcu_read_lock();
	has = tapir_task_event_find(task, tapir_task_event_is, &wish);
	rcu_read_unlock();
	return has;
}

/* ---- events; all under the mutex ---- */

static void tapir_task_event_release(struct tapir_task_probe *p, struct tapir_task_event *e)
{
	u64 enabled, running;

	p->counted += perf_event_read_value(e->event, &enabled, &running);
	perf_event_release_kernel(e->event);
	list_del(&e->link);
	/* A handler may just have found it. */
	kfree_rcu(e, rcu);
}

/* True if a task has the event, or inherited it, and runs its program. */
static bool tapir_task_event_used(struct tapir_task_event *e)
{
	struct perf_event *event = e->event;
	struct task_struct *task = event->hw.target;
	bool used;

	mutex_lock(&event->child_mutex);
	used = !list_empty(&event->child_list) || READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT;
	if (used && e->stays && list_empty(&event->child_list)) {
		task_lock(task);
		used = !task->mm || tapir_execution_is(&e->execution, task->mm);
		task_unlock(task);
	}
	mutex_unlock(&event->child_mutex);
	return used;
}

/* Releases events that are of no use any more. `task`: only its events; NULL: all. */
static void tapir_task_probe_sweep(struct tapir_task_probe *p, const struct task_struct *task)
{
	struct tapir_task_event *e, *next;

	list_for_each_entry_safe(e, next, &p->events, link)
		if ((!task || e->event->hw.target == task) && !tapir_task_event_used(e))
			tapir_task_event_release(p, e);
}

static void tapir_task_events_sweep(struct work_struct *work)
{
	struct tapir_task_events *kind = container_of(to_delayed_work(work), struct tapir_task_events, work);
	bool any = false;
	u32 i;

	mutex_lock(&kind->mutex);
	for (i = 0; i < kind->probes.count; i++) {
		tapir_task_probe_sweep(&kind->list[i], NULL);
		any |= !list_empty(&kind->list[i].events);
	}
	mutex_unlock(&kind->mutex);
	if (any)
		schedule_delayed_work(&kind->work, TAPIR_SWEEP_TICKS);
}

static const char *tapir_task_event_refusal(const struct tapir_task_events *kind, int error)
{
	const char *special = kind->refusal ? kind->refusal(error) : NULL;

	if (special)
		return special;
	switch (error) {
	case -ENOENT:
		return "the program is not found in its memory";
	case -ENOMEM:
		return "not enough memory";
	case -EBUSY:
		return "the mappings of its memory change all the time";
	default:
		return "the kernel refuses it";
	}
}

static void tapir_task_probe_refused(struct tapir_task_probe *p, struct task_struct *task, int error)
{
	/* It is about to end. */
	if (error == -ESRCH)
		return;
	p->refused++;
	if (!p->told && !p->arg->process.optional)
		tapir_session_note(TAPIR_TEXT(ThreadLeftOut), p->probe->hook.probe->point, (s64)task_pid_nr(task), p->kind->verb,
				   tapir_task_event_refusal(p->kind, error), ERR_PTR(error));
	p->told = true;
}

/* Makes the event of a task that has none. `bias` is where the program is loaded, minus where it was linked to be. -errno. */
static int tapir_task_probe_start(struct tapir_task_probe *p, struct task_struct *task, const struct tapir_execution *execution,
				  u64 bias)
{
	struct tapir_task_event *e = kzalloc(sizeof(*e), GFP_KERNEL);
	struct perf_event_attr attr;
	int error;

	if (!e)
		return -ENOMEM;
	e->of = p;
	e->execution = *execution;
	e->bias = bias;
	p->kind->describe(p, bias, &attr);
	attr.inherit = 1;
	e->stays = !tapir_remove_on_exec(&attr);
	e->event = perf_event_create_kernel_counter(&attr, -1, task, p->kind->hit, e);
	if (IS_ERR(e->event)) {
		error = PTR_ERR(e->event);
		kfree(e);
		return error;
	}
	if (list_empty(&p->events))
		schedule_delayed_work(&p->kind->work, TAPIR_SWEEP_TICKS);
	list_add(&e->link, &p->events);
	return 0;
}

/* ---- processes that execute the program ---- */

/* The current process is at the program's first instruction. */
static void tapir_task_probe_begin(struct tapir_task_probe *p, unsigned long ip)
{
	struct tapir_execution execution = tapir_execution_of(current->mm);
	int error;

	if (!p->wanted || !tapir_whose_has(&p->probe->whose, current) || tapir_task_probe_has(p, current, &execution))
		return;
	error = tapir_task_probe_start(p, current, &execution, ip - p->arg->start);
	if (error)
		tapir_task_probe_refused(p, current, error);
}

/* Probes get limited resources, such as debug registers, in the order of the script. */
TAPIR_UPROBE_HANDLER(tapir_task_probe_begins, consumer, regs)
{
	const struct tapir_task_probe *first = container_of(consumer, struct tapir_task_probe, consumer);
	struct tapir_task_events *kind = first->kind;
	u32 i;

	mutex_lock(&kind->mutex);
	/* Those of a program that it ran before have some. */
	for (i = 0; i < kind->probes.count; i++)
		tapir_task_probe_sweep(&kind->list[i], current);
	for (i = 0; i < kind->probes.count; i++)
		if (kind->list[i].probe->program == first->probe->program)
			tapir_task_probe_begin(&kind->list[i], instruction_pointer(regs));
	mutex_unlock(&kind->mutex);
	return 0;
}

/* ---- processes that run it already ---- */

/* Does a process run the program, and is it one that is wanted? Under RCU. */
static bool tapir_task_probe_wants(const struct tapir_task_probe *p, struct task_struct *process)
{
	struct task_struct *thread;
	bool alive = false, wants = false;

	/* The first thread may have ended before others. */
	for_each_thread(process, thread) {
		task_lock(thread);
		alive = tapir_is_process(thread);
		if (alive)
			wants = tapir_process_probe_wants(p->probe, thread, tapir_running(thread->mm));
		task_unlock(thread);
		if (alive)
			break;
	}
	return wants;
}

/* How many threads are wanted; those for which there is room have a reference in the list. */
static u32 tapir_task_probe_threads(const struct tapir_task_probe *p, struct task_struct **list, u32 room)
{
	struct task_struct *process, *thread;
	u32 count = 0;

	rcu_read_lock();
	for_each_process(process) {
		if (!tapir_task_probe_wants(p, process))
			continue;
		for_each_thread(process, thread) {
			if (count < room)
				list[count] = get_task_struct(thread);
			count++;
		}
	}
	rcu_read_unlock();
	return count;
}

/*
 * Where the program is loaded in a memory that is in use, minus where it was linked to be. -ENOENT: it is not found. -EBUSY: its
 * mappings are being changed all the time.
 */
static int tapir_task_probe_bias(const struct tapir_task_probe *p, struct mm_struct *mm, u64 *bias)
{
	u32 program = p->arg->process.program;
	pgoff_t page = tapir_program_page(program);
	unsigned long place = 0;
	u32 found;

	if (!tapir_mmap_lock_within(mm, HZ / 10))
		return -EBUSY;
	found = tapir_program_search(mm, p->probe->program, page, &place);
	tapir_mmap_unlock(mm);
	*bias = place - ((u64)page << PAGE_SHIFT) - tapir_module.programs[program].text_bias;
	return found == TAPIR_PROGRAM_MAPPED ? 0 : -ENOENT;
}

/* True: the thread had no event, and has one now. */
static bool tapir_task_probe_thread(struct tapir_task_probe *p, struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	struct tapir_execution execution;
	bool has;
	int error;
	u64 bias;

	if (!mm)
		return false;
	execution = tapir_execution_of(mm);
	error = tapir_task_probe_bias(p, mm, &bias);
	mmput(mm);
	mutex_lock(&p->kind->mutex);
	has = tapir_task_probe_has(p, task, &execution);
	if (!has && !error)
		error = tapir_task_probe_start(p, task, &execution, bias);
	if (!has && error)
		tapir_task_probe_refused(p, task, error);
	mutex_unlock(&p->kind->mutex);
	return !has && !error;
}

/* One look at all threads: how many did get an event? Those that cannot have one are counted anew. -ENOMEM. */
static int tapir_task_probe_look(struct tapir_task_probe *p)
{
	u32 i, count, room = tapir_task_probe_threads(p, NULL, 0) + 64;
	struct task_struct **list = kvcalloc(room, sizeof(struct task_struct *), GFP_KERNEL);
	int made = 0;

	if (!list)
		return -ENOMEM;
	count = min(tapir_task_probe_threads(p, list, room), room);
	mutex_lock(&p->kind->mutex);
	p->refused = 0;
	mutex_unlock(&p->kind->mutex);
	for (i = 0; i < count; i++) {
		if (!tapir_session_ending())
			made += tapir_task_probe_thread(p, list[i]);
		put_task_struct(list[i]);
		cond_resched();
	}
	kvfree(list);
	return made;
}

/*
 * A thread that was created while the others got their events may have inherited one or not. Either way it is visible only after
 * that. So repeat until no thread lacks an event.
 */
static int tapir_task_probe_look_around(struct tapir_task_probe *p)
{
	int made = 1;
	u32 looks;

	for (looks = 0; looks < TAPIR_LOOKS && made > 0; looks++)
		made = tapir_task_probe_look(p);
	return min(made, 0);
}

/* ---- probes ---- */

/* Without `wanted`, its events are gone afterwards; handlers that found one may still run. */
static void tapir_task_probe_want(struct tapir_task_probe *p, bool wanted)
{
	struct tapir_task_event *e, *next;

	mutex_lock(&p->kind->mutex);
	p->wanted = wanted;
	if (!wanted)
		list_for_each_entry_safe(e, next, &p->events, link)
			tapir_task_event_release(p, e);
	mutex_unlock(&p->kind->mutex);
}

/* Attaches or detaches as its condition holds. -errno: reported. */
static int tapir_task_probe_follow(struct tapir_task_probe *p)
{
	bool wanted = tapir_probe_wanted(p->probe->probe);
	int error;

	if (p->wanted == wanted)
		return 0;
	tapir_task_probe_want(p, wanted);
	error = wanted ? tapir_task_probe_look_around(p) : 0;
	if (error)
		tapir_session_fail(TAPIR_TEXT(NoMemoryTaskEvents));
	return error;
}

/* Has a probe before this one the uprobe of the same program? */
static bool tapir_task_probe_follows(const struct tapir_task_probe *p)
{
	const struct tapir_task_probe *other;

	for (other = p->kind->list; other < p; other++)
		if (other->armed && other->probe->program == p->probe->program)
			return true;
	return false;
}

static int tapir_task_probe_register(struct tapir_task_probe *p)
{
	bool must = !p->arg->process.wildcard && !p->arg->process.optional;
	struct inode *program = tapir_program_inode(p->arg->process.program);
	int error;

	p->consumer.handler = tapir_task_probe_begins;
	error = tapir_uprobe_register(&p->handle, program, p->arg->start_offset, 0, &p->consumer);
	p->armed = !error;
	if (error && must)
		tapir_session_fail(TAPIR_TEXT(StartRefused), p->probe->hook.probe->point, ERR_PTR(error));
	return must ? error : 0;
}

static int tapir_task_probe_arm(struct tapir_task_probe *p)
{
	int error = tapir_task_probe_follows(p) ? 0 : tapir_task_probe_register(p);

	return error ? error : tapir_task_probe_follow(p);
}

/* ---- the kind ---- */

void tapir_task_events_rearm(struct tapir_task_events *kind)
{
	u32 i;

	for (i = 0; i < kind->probes.count && !tapir_session_ending(); i++)
		tapir_task_probe_follow(&kind->list[i]);
}

void tapir_task_events_disarm(struct tapir_task_events *kind)
{
	struct tapir_task_probe *p;
	u32 i;

	for (i = 0; i < kind->probes.count; i++)
		if (kind->list[i].armed)
			tapir_uprobe_unregister(&kind->list[i].handle, &kind->list[i].consumer);
	tapir_uprobe_synchronize();
	cancel_delayed_work_sync(&kind->work);
	for (i = kind->probes.count; i-- > 0;) {
		p = &kind->list[i];
		tapir_task_probe_want(p, false);
		if (p->refused > 1 && !p->arg->process.optional)
			tapir_session_warn(TAPIR_TEXT(ThreadsLeftOut), p->probe->hook.probe->point, p->refused, kind->verb);
	}
	synchronize_rcu();
}

void tapir_task_events_free(struct tapir_task_events *kind)
{
	kvfree(kind->list);
	kind->list = NULL;
	tapir_process_probes_destroy(&kind->probes);
}

int tapir_task_events_arm(struct tapir_task_events *kind)
{
	int error = tapir_process_probes_create(&kind->probes);
	u32 i;

	if (error)
		return error;
	kind->list = kvcalloc(max(kind->probes.count, 1u), sizeof(*kind->list), GFP_KERNEL);
	if (!kind->list) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryTaskEvents));
		tapir_process_probes_destroy(&kind->probes);
		return -ENOMEM;
	}
	mutex_init(&kind->mutex);
	INIT_DELAYED_WORK(&kind->work, tapir_task_events_sweep);
	for (i = 0; i < kind->probes.count; i++) {
		kind->list[i].kind = kind;
		kind->list[i].probe = &kind->probes.list[i];
		kind->list[i].arg = kind->probes.list[i].hook.probe->arg;
		INIT_LIST_HEAD(&kind->list[i].events);
	}
	for (i = 0; i < kind->probes.count && !error && !tapir_session_ending(); i++)
		error = tapir_task_probe_arm(&kind->list[i]);
	if (!error)
		return 0;
	tapir_task_events_disarm(kind);
	tapir_task_events_free(kind);
	return error;
}
