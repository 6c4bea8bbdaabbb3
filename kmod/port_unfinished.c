// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Room for walks that stand at a file whose table is being made. It is allocated in pieces before it is needed: taking one of the
 * last places queues an irq_work, which queues a work item, which allocates the next piece. Places are taken in any context, each
 * with one atomic exchange; the loader's commands finish them, one at a time.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <runtime/stacks_internal.h>
#include <tapir/unfinished.h>
#include "compat/uprobe_task.h"
#include "port_memory.h"
#include "port_unfinished.h"
#include "relay.h"
#include "state.h"
#include "user_code.h"
#include "user_lock.h"
#include "user_mappings.h"
#include "user_objects.h"

enum tapir_place_state {
	TAPIR_PLACE_FREE,
	TAPIR_PLACE_TAKEN, /* somebody is filling it in */
	TAPIR_PLACE_KEPT,
};

struct tapir_unfinished_place {
	struct tapir_unfinished walk; /* first */
	atomic_t state;		      /* enum tapir_place_state */
	u32 used_before;	      /* how often: two that are asked for by a number are not taken for each other */
	unsigned long since;	      /* jiffies */
};

#define TAPIR_PLACES	   16u /* of a piece: 310 KB */
#define TAPIR_PIECES	   64u
#define TAPIR_PIECES_LEAST 8u
#define TAPIR_PIECE_CPUS   4u /* each four processors may have one more */
#define TAPIR_PLACE_TRIES  64u

static struct tapir_unfinished_place *tapir_unfinished_pieces[TAPIR_PIECES];
static u32 tapir_unfinished_npieces, tapir_unfinished_most;
static atomic_t tapir_unfinished_used, tapir_unfinished_next;
static atomic_t tapir_unfinished_stored; /* of those in use */
static atomic64_t tapir_unfinished_refused;
static u64 tapir_unfinished_finished; /* under the control lock */
static struct workqueue_struct *tapir_unfinished_queue;
/* Scratch memory for finishing. */
static struct {
	struct tapir_stack_draft draft;
	struct tapir_unwind_memory memory;
	char line[TAPIR_OUTPUT_MAX];
} * tapir_unfinished_room;

/* ---- memory ---- */

static bool tapir_unfinished_grow(void)
{
	struct tapir_unfinished_place *piece;

	if (tapir_unfinished_npieces == tapir_unfinished_most || !tapir_port_affordable(TAPIR_PLACES * sizeof(*piece)))
		return false;
	piece = vzalloc(TAPIR_PLACES * sizeof(*piece));
	if (!piece)
		return false;
	tapir_unfinished_pieces[tapir_unfinished_npieces] = piece;
	smp_store_release(&tapir_unfinished_npieces, tapir_unfinished_npieces + 1);
	return true;
}

static bool tapir_unfinished_low(u32 npieces)
{
	return npieces < tapir_unfinished_most && atomic_read(&tapir_unfinished_used) * 2u >= npieces * TAPIR_PLACES;
}

static void tapir_unfinished_work_do(struct work_struct *work)
{
	while (tapir_unfinished_low(tapir_unfinished_npieces) && tapir_unfinished_grow())
		;
}
static DECLARE_WORK(tapir_unfinished_work, tapir_unfinished_work_do);

static void tapir_unfinished_hurry(struct irq_work *work)
{
	queue_work(tapir_unfinished_queue, &tapir_unfinished_work);
}
static struct irq_work tapir_unfinished_irq;

/* ---- any context ---- */

/* NULL: all are taken. */
static struct tapir_unfinished_place *tapir_unfinished_take(void)
{
	u32 npieces = smp_load_acquire(&tapir_unfinished_npieces), places = npieces * TAPIR_PLACES, at, i;

	if (tapir_unfinished_low(npieces))
		irq_work_queue(&tapir_unfinished_irq);
	if (atomic_read(&tapir_unfinished_used) >= places)
		return NULL;
	at = atomic_inc_return(&tapir_unfinished_next);
	for (i = 0; i < TAPIR_PLACE_TRIES; i++, at++) {
		struct tapir_unfinished_place *place =
		    &tapir_unfinished_pieces[at % places / TAPIR_PLACES][at % places % TAPIR_PLACES];

		if (atomic_read(&place->state) == TAPIR_PLACE_FREE &&
		    atomic_cmpxchg(&place->state, TAPIR_PLACE_FREE, TAPIR_PLACE_TAKEN) == TAPIR_PLACE_FREE) {
			atomic_inc(&tapir_unfinished_used);
			return place;
		}
	}
	return NULL;
}

static void tapir_unfinished_give_back(struct tapir_unfinished_place *place)
{
	place->used_before++;
	atomic_set_release(&place->state, TAPIR_PLACE_FREE);
	atomic_dec(&tapir_unfinished_used);
}

static void tapir_unfinished_map(struct tapir_unfinished *u, struct mm_struct *mm, const struct vm_area_struct *vma)
{
	struct tapir_unfinished_mapping *m = &u->mappings[u->nmappings++];
	bool vdso = tapir_user_is_vdso(mm, vma);
	struct tapir_unwind_mapping mapping;

	*m = (struct tapir_unfinished_mapping){
	    .start = vma->vm_start, .length = vma->vm_end - vma->vm_start, .object = TAPIR_UNWIND_NO_NUMBER};
	if (!tapir_user_has_file(vma) && !vdso) {
		m->end = tapir_is_uprobe_area(vma) ? TAPIR_UNWIND_RETURN : TAPIR_UNWIND_NO_OBJECT;
		return;
	}
	tapir_user_mapping_of(mm, vma, vdso, &mapping);
	m->place = mapping.place;
	m->object = mapping.object;
	if (m->object == TAPIR_UNWIND_NO_NUMBER)
		m->end = TAPIR_UNWIND_NO_TABLE;
}

/* Mappings that are looked at: few programs of some milliseconds have more. */
#define TAPIR_UNFINISHED_SEARCHED 256u

static void tapir_unfinished_map_all(struct tapir_unfinished *u, struct mm_struct *mm)
{
	struct tapir_user_code code = {.mm = mm, .left = TAPIR_UNFINISHED_SEARCHED};

	u->nmappings = 0;
	while (u->nmappings < TAPIR_UNFINISHED_MAPPINGS && tapir_user_code_next(&code))
		tapir_unfinished_map(u, mm, code.vma);
	u->partly = u->nmappings == TAPIR_UNFINISHED_MAPPINGS || !code.left;
}

struct tapir_unfinished *tapir_port_unfinished_begin(const struct tapir_user_walk *w)
{
	struct tapir_unfinished_place *place;

	/* Only the reader makes tables, and only the lock shows the mappings. */
	if (!tapir_relay_has_reader() || (w->lock != TAPIR_USER_LOCKED && w->lock != TAPIR_USER_LOCK_DEFERRED) ||
	    !tapir_user_object_coming(w->last.object))
		return NULL;
	place = tapir_unfinished_take();
	if (!place) {
		atomic64_inc(&tapir_unfinished_refused);
		return NULL;
	}
	place->walk.object = w->last.object;
	tapir_unfinished_map_all(&place->walk, w->process);
	return &place->walk;
}

/* Its place, and how often that was used before. */
static u32 tapir_unfinished_number(const struct tapir_unfinished_place *place, u32 index)
{
	return place->used_before * TAPIR_PIECES * TAPIR_PLACES + index;
}

static u32 tapir_unfinished_index(const struct tapir_unfinished_place *place)
{
	u32 i;

	for (i = 0; i < TAPIR_PIECES - 1; i++)
		if (place >= tapir_unfinished_pieces[i] && place < tapir_unfinished_pieces[i] + TAPIR_PLACES)
			break;
	return i * TAPIR_PLACES + (place - tapir_unfinished_pieces[i]);
}

u32 tapir_port_unfinished_keep(struct tapir_unfinished *u)
{
	struct tapir_unfinished_place *place = container_of(u, struct tapir_unfinished_place, walk);
	u32 number = tapir_unfinished_number(place, tapir_unfinished_index(place));

	place->since = jiffies;
	if (u->finish)
		atomic_inc(&tapir_unfinished_stored);
	atomic_set_release(&place->state, TAPIR_PLACE_KEPT);
	/* The table may have come since the walk. */
	tapir_session_notify();
	return number;
}

void tapir_port_unfinished_drop(struct tapir_unfinished *u)
{
	tapir_unfinished_give_back(container_of(u, struct tapir_unfinished_place, walk));
}

/* ---- under the control lock ---- */

/* Output that was dropped is not asked for. */
#define TAPIR_UNFINISHED_LIFE (60ul * HZ)

static void tapir_unfinished_ended(struct tapir_unfinished_place *place, u8 end)
{
	tapir_user_stack_recount(TAPIR_UNWIND_NO_TABLE, end);
	tapir_unfinished_finished += end != TAPIR_UNWIND_NO_TABLE;
	tapir_unfinished_give_back(place);
}

static void tapir_unfinished_try(struct tapir_unfinished_place *place)
{
	struct tapir_unfinished *u = &place->walk;
	u8 end;

	if (atomic_read_acquire(&place->state) != TAPIR_PLACE_KEPT || tapir_port_object_awaited(u->object))
		return;
	if (!u->finish) {
		if (time_after(jiffies, place->since + TAPIR_UNFINISHED_LIFE))
			tapir_unfinished_give_back(place);
		return;
	}
	end = u->finish(u, &tapir_unfinished_room->draft, &tapir_unfinished_room->memory);
	if (end == TAPIR_UNWIND_MORE)
		return;
	atomic_dec(&tapir_unfinished_stored);
	tapir_unfinished_ended(place, end);
}

static void tapir_unfinished_finish(void)
{
	u32 places = smp_load_acquire(&tapir_unfinished_npieces) * TAPIR_PLACES, i;

	for (i = 0; i < places && atomic_read(&tapir_unfinished_used); i++) {
		tapir_unfinished_try(&tapir_unfinished_pieces[i / TAPIR_PLACES][i % TAPIR_PLACES]);
		cond_resched();
	}
}

static struct tapir_unfinished_place *tapir_unfinished_asked(u32 number)
{
	u32 index = number % (TAPIR_PIECES * TAPIR_PLACES);
	struct tapir_unfinished_place *place;

	if (index >= smp_load_acquire(&tapir_unfinished_npieces) * TAPIR_PLACES)
		return NULL;
	place = &tapir_unfinished_pieces[index / TAPIR_PLACES][index % TAPIR_PLACES];
	if (atomic_read_acquire(&place->state) != TAPIR_PLACE_KEPT || place->walk.finish ||
	    tapir_unfinished_number(place, index) != number)
		return NULL;
	return place;
}

static int tapir_unfinished_lines(struct tapir_ioc_frames *io)
{
	struct tapir_unfinished_place *place = tapir_unfinished_asked(io->id);
	struct tapir_stack_draft *draft;
	u8 end;

	io->filled = 0;
	if (!place || io->form >= TAPIR_FRAMES_FORMS)
		return -ESRCH;
	draft = &tapir_unfinished_room->draft;
	draft->trace = (struct tapir_unwind_trace){.words = draft->words, .room = TAPIR_STACK_ROOM};
	end = tapir_unfinished_walk(&place->walk, &tapir_unfinished_room->memory, &draft->trace);
	if (end == TAPIR_UNWIND_NO_TABLE && !io->last && tapir_port_object_awaited(place->walk.object))
		return -EAGAIN;
	for (; io->at < draft->trace.frames; io->at++) {
		char *line = tapir_unfinished_room->line;
		u32 length = tapir_unfinished_line(&draft->trace, io->at, io->form, line, sizeof(tapir_unfinished_room->line));

		if (length > io->length - io->filled)
			return io->filled ? 0 : -ENOSPC;
		if (copy_to_user((void __user *)(uintptr_t)(io->buffer + io->filled), line, length))
			return -EFAULT;
		io->filled += length;
	}
	io->at = 0;
	tapir_unfinished_ended(place, end);
	return 0;
}

static void tapir_unfinished_count(u64 *finished, u64 *refused)
{
	*finished = tapir_unfinished_finished;
	*refused = atomic64_read(&tapir_unfinished_refused);
}

/* ---- the session ---- */

#define TAPIR_UNFINISHED_PATIENCE (10ul * HZ)

static void tapir_unfinished_await(void)
{
	unsigned long until = jiffies + TAPIR_UNFINISHED_PATIENCE;

	while (atomic_read(&tapir_unfinished_stored) && time_before(jiffies, until) && tapir_relay_has_reader() &&
	       !tapir_session_handler_interrupted() && !kthread_should_stop())
		schedule_timeout_idle(1);
}

static void tapir_unfinished_create(void)
{
	init_irq_work(&tapir_unfinished_irq, tapir_unfinished_hurry);
	tapir_unfinished_most = clamp(num_possible_cpus() / TAPIR_PIECE_CPUS, TAPIR_PIECES_LEAST, TAPIR_PIECES);
	tapir_unfinished_room = vzalloc(sizeof(*tapir_unfinished_room));
	tapir_unfinished_queue = alloc_workqueue("tapir-unfinished", WQ_UNBOUND | WQ_HIGHPRI, 1);
	if (!tapir_unfinished_room || !tapir_unfinished_queue || !tapir_unfinished_grow())
		tapir_unfinished_most = 0;
}

static void tapir_unfinished_destroy(void)
{
	u32 i;

	if (tapir_unfinished_queue) {
		irq_work_sync(&tapir_unfinished_irq);
		destroy_workqueue(tapir_unfinished_queue);
		tapir_unfinished_queue = NULL;
	}
	for (i = 0; i < tapir_unfinished_npieces; i++)
		vfree(tapir_unfinished_pieces[i]);
	tapir_unfinished_npieces = 0;
	vfree(tapir_unfinished_room);
	tapir_unfinished_room = NULL;
}

const struct tapir_unfinished_ops tapir_unfinished_ops = {
    .create = tapir_unfinished_create,
    .finish = tapir_unfinished_finish,
    .lines = tapir_unfinished_lines,
    .await = tapir_unfinished_await,
    .count = tapir_unfinished_count,
    .destroy = tapir_unfinished_destroy,
};
