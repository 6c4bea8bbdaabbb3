// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.data: memory of programs that the processor's debug registers watch, in each thread by an event of its own.
 *
 * A process that executes the program gets an event when it runs the program's first instruction, from the uprobe there: in the
 * process itself, where one may sleep, and when it is known where the program is loaded. Threads that it makes, and children that
 * it forks, inherit the event before they run: the kernel makes and frees theirs. Threads that run already when the script starts
 * get one each from the session thread.
 *
 * An event is of one execution of the program. A task that executes again loses it, or keeps one that is of no use
 * (tapir_remove_on_ exec()); hits are compared with the execution in either case. What the kernel holds for an event that nobody
 * has any more is given back by a work item.
 */
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <tapir/port.h>
#include "compat/exec.h"
#include "compat/uprobe.h"
#include "condition.h"
#include "hit.h"
#include "kind.h"
#include "process_probes.h"
#include "program_places.h"
#include "programs.h"
#include "report.h"
#include "state.h"

#define TAPIR_SWEEP_TICKS (2 * HZ)
#define TAPIR_LOOKS	  64 /* at the threads that run, until all are watched */

/* What tells an execution of a program from others, in all processes that come of it by fork(). For comparisons only. */
struct tapir_execution {
	const void *file;
	unsigned long stack;
};

/* Which event of a task that may have two makes its hits, on one CPU: the first of them after the task came to run. */
struct tapir_watch_turn {
	const struct perf_event *event;
	u64 started; /* of the task */
	u64 executions;
	unsigned long switches;
};

struct tapir_user_watch {
	struct uprobe_consumer consumer;
	struct tapir_uprobe_handle handle;
	const struct tapir_process_probe *probe;
	const struct tapir_user_data_arg *arg;
	bool armed;   /* the uprobe, for all watches of the program */
	bool wanted;  /* its condition holds */
	bool doubled; /* a thread that inherited an event may have got a second one: it cannot be asked */
	struct tapir_watch_turn __percpu *turns;
	struct list_head events;
	bool told;   /* why a thread is not watched */
	u64 refused; /* threads */
};

/* An event of a task, which others have inherited. */
struct tapir_user_event {
	struct list_head link;
	const struct tapir_user_watch *watch;
	struct tapir_execution execution;
	struct perf_event *event; /* its own of a task; those that are inherited are in its child_list */
	bool stays;		  /* with a task that executes another program */
};

static struct tapir_process_probes tapir_user_datas = {.kind = &tapir_kind_user_data};
static struct tapir_user_watch *tapir_user_watches; /* as many, in the same order */
static DEFINE_MUTEX(tapir_user_data_mutex);	    /* the events */

/* The memory cannot go. */
static struct tapir_execution tapir_execution_of(const struct mm_struct *mm)
{
	return (struct tapir_execution){.file = (const void *)READ_ONCE(mm->exe_file), .stack = mm->start_stack};
}

static bool tapir_execution_is(const struct tapir_execution *execution, const struct mm_struct *mm)
{
	struct tapir_execution other = tapir_execution_of(mm);

	return other.file == execution->file && other.stack == execution->stack;
}

/* ---- hits ---- */

/* Has the task another event of the watch, by which the access was seen before? */
static bool tapir_watch_second(const struct tapir_user_watch *w, const struct perf_event *event)
{
	struct tapir_watch_turn *turn = this_cpu_ptr(w->turns);
	struct tapir_watch_turn now = {
	    .event = event,
	    .started = current->start_time,
	    .executions = current->self_exec_id,
	    .switches = current->nvcsw + current->nivcsw,
	};

	if (turn->started == now.started && turn->executions == now.executions && turn->switches == now.switches)
		return turn->event != event;
	*turn = now;
	return false;
}

/* In the debug exception: interrupts are off, and where the kernel made the access, it is like an NMI. */
static void tapir_user_data_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct tapir_user_event *e = event->overflow_handler_context;
	const struct tapir_user_watch *w = e->watch;

	if (!current->mm || !tapir_execution_is(&e->execution, current->mm) || !tapir_whose_has(&w->probe->whose, current))
		return;
	/* A handler of this CPU reads the memory, for the script. */
	if (!user_mode(regs) && tapir_handler_runs(TAPIR_LEVEL_SESSION))
		return;
	if (READ_ONCE(w->doubled) && tapir_watch_second(w, event))
		return;
	tapir_hit(&w->probe->hook, regs, instruction_pointer(regs));
}

/* ---- events; all under the mutex ---- */

static void tapir_user_event_free(struct tapir_user_event *e)
{
	list_del(&e->link);
	kfree(e);
}

/* Has any task the event, or one that it inherited, and runs what it is for? */
static bool tapir_user_event_used(struct tapir_user_event *e)
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

static void tapir_user_data_sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(tapir_user_data_work, tapir_user_data_sweep);

/* Gives back what is of no use any more. `task`: of its events only; NULL: all. */
static void tapir_user_watch_sweep(struct tapir_user_watch *w, const struct task_struct *task)
{
	struct tapir_user_event *e, *next;

	list_for_each_entry_safe(e, next, &w->events, link) {
		if ((task && e->event->hw.target != task) || tapir_user_event_used(e))
			continue;
		/* No task has it, so no hit looks at it. */
		unregister_hw_breakpoint(e->event);
		tapir_user_event_free(e);
	}
}

static void tapir_user_data_sweep(struct work_struct *work)
{
	bool any = false;
	u32 i;

	mutex_lock(&tapir_user_data_mutex);
	for (i = 0; i < tapir_user_datas.count; i++) {
		tapir_user_watch_sweep(&tapir_user_watches[i], NULL);
		any |= !list_empty(&tapir_user_watches[i].events);
	}
	mutex_unlock(&tapir_user_data_mutex);
	if (any)
		schedule_delayed_work(&tapir_user_data_work, TAPIR_SWEEP_TICKS);
}

/* Has the task an event of this execution? Events that tasks have exchanged when they were switched are taken for those they made.
 */
static bool tapir_user_watch_has(const struct tapir_user_watch *w, const struct task_struct *task,
				 const struct tapir_execution *execution)
{
	struct tapir_user_event *e;
	bool has = false;

	list_for_each_entry(e, &w->events, link) {
		struct perf_event *child;

		if (e->execution.file != execution->file || e->execution.stack != execution->stack)
			continue;
		mutex_lock(&e->event->child_mutex);
		has = e->event->hw.target == task && READ_ONCE(e->event->state) > PERF_EVENT_STATE_EXIT;
		list_for_each_entry(child, &e->event->child_list, child_list)
			has |= child->hw.target == task;
		mutex_unlock(&e->event->child_mutex);
		if (has)
			break;
	}
	return has;
}

static const char *tapir_user_data_refusal(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EBUSY:
		return "all debug registers of the processor are in use";
	case -EINVAL:
		return "the processor cannot watch the address";
	case -ENOENT:
		return "the program is not found in its memory";
	case -ENOMEM:
		return "not enough memory";
	default:
		return "the kernel refuses it";
	}
}

static void tapir_user_watch_refused(struct tapir_user_watch *w, struct task_struct *task, int error)
{
	/* It is about to end. */
	if (error == -ESRCH)
		return;
	w->refused++;
	if (!w->told && !w->arg->process.optional)
		tapir_session_note(TAPIR_TEXT(ThreadNotWatched), w->probe->hook.probe->point, (s64)task_pid_nr(task),
				   tapir_user_data_refusal(error), ERR_PTR(error));
	w->told = true;
}

/* Makes the event of a task that has none. `bias` is where the program is loaded, minus where it was linked to be. -errno. */
static int tapir_user_watch_start(struct tapir_user_watch *w, struct task_struct *task, const struct tapir_execution *execution,
				  u64 bias)
{
	struct tapir_user_event *e = kzalloc(sizeof(*e), GFP_KERNEL);
	struct perf_event_attr attr;
	int error;

	if (!e)
		return -ENOMEM;
	e->watch = w;
	e->execution = *execution;
	hw_breakpoint_init(&attr);
	attr.bp_addr = w->arg->address + bias;
	attr.bp_len = w->arg->length;
	attr.bp_type = w->arg->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	attr.inherit = 1;
	e->stays = !tapir_remove_on_exec(&attr);
	e->event = register_user_hw_breakpoint(&attr, tapir_user_data_hit, e, task);
	if (IS_ERR(e->event)) {
		error = PTR_ERR(e->event);
		kfree(e);
		return error;
	}
	if (list_empty(&w->events))
		schedule_delayed_work(&tapir_user_data_work, TAPIR_SWEEP_TICKS);
	list_add(&e->link, &w->events);
	return 0;
}

/* ---- processes that execute the program ---- */

/* The current process is at the program's first instruction. */
static void tapir_user_watch_begin(struct tapir_user_watch *w, unsigned long ip)
{
	struct tapir_execution execution = tapir_execution_of(current->mm);
	int error;

	if (!w->wanted || !tapir_whose_has(&w->probe->whose, current) || tapir_user_watch_has(w, current, &execution))
		return;
	error = tapir_user_watch_start(w, current, &execution, ip - w->arg->start);
	if (error)
		tapir_user_watch_refused(w, current, error);
}

/* Watches get registers in the order of the script. */
TAPIR_UPROBE_HANDLER(tapir_user_data_begins, consumer, regs)
{
	const struct tapir_user_watch *first = container_of(consumer, struct tapir_user_watch, consumer);
	u32 i;

	mutex_lock(&tapir_user_data_mutex);
	/* Those of a program that it ran before have registers. */
	for (i = 0; i < tapir_user_datas.count; i++)
		tapir_user_watch_sweep(&tapir_user_watches[i], current);
	for (i = 0; i < tapir_user_datas.count; i++)
		if (tapir_user_watches[i].probe->program == first->probe->program)
			tapir_user_watch_begin(&tapir_user_watches[i], instruction_pointer(regs));
	mutex_unlock(&tapir_user_data_mutex);
	return 0;
}

/* ---- processes that run it already ---- */

/* Does a process run the program, and is it one that is wanted? Under RCU. */
static bool tapir_user_watch_wants(const struct tapir_user_watch *w, struct task_struct *process)
{
	struct task_struct *thread;
	bool alive = false, wants = false;

	/* The first thread may have ended before others. */
	for_each_thread(process, thread) {
		task_lock(thread);
		alive = tapir_is_process(thread);
		if (alive)
			wants = tapir_process_probe_wants(w->probe, thread, tapir_running(thread->mm));
		task_unlock(thread);
		if (alive)
			break;
	}
	return wants;
}

/* How many threads there are to be watched; those for which there is room have a reference in the list. */
static u32 tapir_user_watch_threads(const struct tapir_user_watch *w, struct task_struct **list, u32 room)
{
	struct task_struct *process, *thread;
	u32 count = 0;

	rcu_read_lock();
	for_each_process(process) {
		if (!tapir_user_watch_wants(w, process))
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

/* Where the program is loaded in a memory that is in use, minus where it was linked to be. -ENOENT: it is not found. */
static int tapir_user_watch_bias(const struct tapir_user_watch *w, struct mm_struct *mm, u64 *bias)
{
	u32 program = w->arg->process.program;
	pgoff_t page = tapir_program_page(program);
	unsigned long place = 0;
	u32 found;

	down_read(&mm->mmap_lock);
	found = tapir_program_search(mm, w->probe->program, page, &place);
	up_read(&mm->mmap_lock);
	*bias = place - ((u64)page << PAGE_SHIFT) - tapir_module.programs[program].text_bias;
	return found == TAPIR_PROGRAM_MAPPED ? 0 : -ENOENT;
}

/* True: the thread had none, and has one now. `late`: it may have one that is not known. */
static bool tapir_user_watch_thread(struct tapir_user_watch *w, struct task_struct *task, bool late)
{
	struct mm_struct *mm = get_task_mm(task);
	struct tapir_execution execution;
	bool has;
	int error;
	u64 bias;

	if (!mm)
		return false;
	execution = tapir_execution_of(mm);
	error = tapir_user_watch_bias(w, mm, &bias);
	mmput(mm);
	mutex_lock(&tapir_user_data_mutex);
	has = tapir_user_watch_has(w, task, &execution);
	if (!has && late)
		WRITE_ONCE(w->doubled, true);
	if (!has && !error)
		error = tapir_user_watch_start(w, task, &execution, bias);
	if (!has && error)
		tapir_user_watch_refused(w, task, error);
	mutex_unlock(&tapir_user_data_mutex);
	return !has && !error;
}

/* One look at all threads: how many did get an event? Those that cannot have one are counted anew. -ENOMEM. */
static int tapir_user_watch_look(struct tapir_user_watch *w, bool late)
{
	u32 i, count, room = tapir_user_watch_threads(w, NULL, 0) + 64;
	struct task_struct **list = kvcalloc(room, sizeof(struct task_struct *), GFP_KERNEL);
	int made = 0;

	if (!list)
		return -ENOMEM;
	count = min(tapir_user_watch_threads(w, list, room), room);
	mutex_lock(&tapir_user_data_mutex);
	w->refused = 0;
	mutex_unlock(&tapir_user_data_mutex);
	for (i = 0; i < count; i++) {
		if (!tapir_session_ending())
			made += tapir_user_watch_thread(w, list[i], late);
		put_task_struct(list[i]);
		cond_resched();
	}
	kvfree(list);
	return made;
}

/*
 * A thread that was made while the others got their events has inherited one or not. So all are looked at until none is without.
 * What a later look makes may be a thread's second one, because threads may have exchanged theirs: hits are then told apart.
 */
static int tapir_user_watch_look_around(struct tapir_user_watch *w)
{
	int made = 1;
	u32 looks;

	for (looks = 0; looks < TAPIR_LOOKS && made > 0; looks++)
		made = tapir_user_watch_look(w, looks > 0);
	return min(made, 0);
}

/* ---- the kind ---- */

/* Without `wanted`, its events are gone afterwards. */
static void tapir_user_watch_want(struct tapir_user_watch *w, bool wanted)
{
	struct tapir_user_event *e, *next;
	LIST_HEAD(gone);

	mutex_lock(&tapir_user_data_mutex);
	w->wanted = wanted;
	if (!wanted)
		list_splice_init(&w->events, &gone);
	list_for_each_entry(e, &gone, link)
		unregister_hw_breakpoint(e->event);
	mutex_unlock(&tapir_user_data_mutex);
	if (list_empty(&gone))
		return;
	/* A hit may still be on its way out. */
	synchronize_rcu();
	list_for_each_entry_safe(e, next, &gone, link)
		tapir_user_event_free(e);
}

/* Attaches or detaches as its condition holds. -errno: reported. */
static int tapir_user_watch_follow(struct tapir_user_watch *w)
{
	bool wanted = tapir_probe_wanted(w->probe->probe);
	int error;

	if (w->wanted == wanted)
		return 0;
	tapir_user_watch_want(w, wanted);
	error = wanted ? tapir_user_watch_look_around(w) : 0;
	if (error)
		tapir_session_fail(TAPIR_TEXT(NoMemoryData));
	return error;
}

/* Has a watch before this one the uprobe of the same program? */
static bool tapir_user_watch_follows(const struct tapir_user_watch *w)
{
	const struct tapir_user_watch *other;

	for (other = tapir_user_watches; other < w; other++)
		if (other->armed && other->probe->program == w->probe->program)
			return true;
	return false;
}

static int tapir_user_watch_register(struct tapir_user_watch *w)
{
	bool must = !w->arg->process.wildcard && !w->arg->process.optional;
	struct inode *program = tapir_program_inode(w->arg->process.program);
	int error;

	w->consumer.handler = tapir_user_data_begins;
	error = tapir_uprobe_register(&w->handle, program, w->arg->start_offset, 0, &w->consumer);
	w->armed = !error;
	if (error && must)
		tapir_session_fail(TAPIR_TEXT(StartRefused), w->probe->hook.probe->point, ERR_PTR(error));
	return must ? error : 0;
}

static int tapir_user_watch_arm(struct tapir_user_watch *w)
{
	int error;

	w->turns = alloc_percpu(struct tapir_watch_turn);
	if (!w->turns) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryData));
		return -ENOMEM;
	}
	error = tapir_user_watch_follows(w) ? 0 : tapir_user_watch_register(w);
	return error ? error : tapir_user_watch_follow(w);
}

static void tapir_user_watch_free(struct tapir_user_watch *w)
{
	tapir_user_watch_want(w, false);
	free_percpu(w->turns);
	if (w->refused > 1 && !w->arg->process.optional)
		tapir_session_warn(TAPIR_TEXT(ThreadsNotWatched), w->probe->hook.probe->point, w->refused);
}

static void tapir_user_data_rearm(void)
{
	u32 i;

	for (i = 0; i < tapir_user_datas.count; i++)
		tapir_user_watch_follow(&tapir_user_watches[i]);
}

static void tapir_user_data_disarm(void)
{
	u32 i;

	for (i = 0; i < tapir_user_datas.count; i++)
		if (tapir_user_watches[i].armed)
			tapir_uprobe_unregister(&tapir_user_watches[i].handle, &tapir_user_watches[i].consumer);
	tapir_uprobe_synchronize();
	cancel_delayed_work_sync(&tapir_user_data_work);
	for (i = tapir_user_datas.count; i-- > 0;)
		tapir_user_watch_free(&tapir_user_watches[i]);
	kvfree(tapir_user_watches);
	tapir_user_watches = NULL;
	tapir_process_probes_destroy(&tapir_user_datas);
}

static int tapir_user_data_arm(void)
{
	int error = tapir_process_probes_create(&tapir_user_datas);
	u32 i;

	if (error)
		return error;
	tapir_user_watches = kvcalloc(max(tapir_user_datas.count, 1u), sizeof(*tapir_user_watches), GFP_KERNEL);
	if (!tapir_user_watches) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryData));
		tapir_process_probes_destroy(&tapir_user_datas);
		return -ENOMEM;
	}
	for (i = 0; i < tapir_user_datas.count; i++) {
		tapir_user_watches[i].probe = &tapir_user_datas.list[i];
		tapir_user_watches[i].arg = tapir_user_datas.list[i].hook.probe->arg;
		INIT_LIST_HEAD(&tapir_user_watches[i].events);
	}
	for (i = 0; i < tapir_user_datas.count && !error; i++)
		error = tapir_user_watch_arm(&tapir_user_watches[i]);
	if (error)
		tapir_user_data_disarm();
	return error;
}

const struct tapir_kind_ops tapir_kind_user_data = {
    TAPIR_KIND_LISTED(user_data),
    .arm = tapir_user_data_arm,
    .rearm = tapir_user_data_rearm,
    .disarm = tapir_user_data_disarm,
    .pid_at = offsetof(struct tapir_user_data_arg, process.pid),
};
