// SPDX-License-Identifier: GPL-2.0-or-later
/* Where threads wait: names for what the port finds. */
#include <tapir/port.h>
#include <tapir/stack.h>
#include <tapir/string.h>
#include <tapir/wait.h>
#include <tapir/work.h>
#include "handler.h"
#include "stack_internal.h"

static const char *const kind_names[TAPIR_WAIT_NOT + 1] = {
    [TAPIR_WAIT_OTHER] = "other",
    [TAPIR_WAIT_CHILD] = "child",
    [TAPIR_WAIT_CONNECT] = "connect",
    [TAPIR_WAIT_DISK] = "disk",
    [TAPIR_WAIT_FILE] = "file",
    [TAPIR_WAIT_FLOCK] = "flock",
    [TAPIR_WAIT_FUTEX] = "futex",
    [TAPIR_WAIT_IDLE] = "idle",
    [TAPIR_WAIT_IPC] = "ipc",
    [TAPIR_WAIT_JOURNAL] = "journal",
    [TAPIR_WAIT_MUTEX] = "mutex",
    [TAPIR_WAIT_PIPE] = "pipe",
    [TAPIR_WAIT_POLL] = "poll",
    [TAPIR_WAIT_RECEIVE] = "receive",
    [TAPIR_WAIT_RECLAIM] = "reclaim",
    [TAPIR_WAIT_RWSEM] = "rwsem",
    [TAPIR_WAIT_SEND] = "send",
    [TAPIR_WAIT_SLEEP] = "sleep",
    [TAPIR_WAIT_STOPPED] = "stopped",
    [TAPIR_WAIT_TERMINAL] = "terminal",
    [TAPIR_WAIT_WRITEBACK] = "writeback",
    [TAPIR_WAIT_KINDS] = "unknown",
    [TAPIR_WAIT_NOT] = "",
};

s64 tapir_wait_site(struct tapir_ctx *c)
{
	tapir_work_add(c, TAPIR_WORK_WAIT);
	return tapir_port_wait_site(c);
}

const char *tapir_wait_kind(struct tapir_ctx *c)
{
	tapir_work_add(c, TAPIR_WORK_WAIT);
	return kind_names[tapir_port_wait_kind(c)];
}

s64 tapir_task_wait_site(struct tapir_ctx *c, u64 task)
{
	tapir_work_add(c, 2 * TAPIR_WORK_WAIT);
	return tapir_port_task_wait_site(c, task);
}

const char *tapir_task_wait_kind(struct tapir_ctx *c, u64 task)
{
	tapir_work_add(c, 2 * TAPIR_WORK_WAIT);
	return kind_names[tapir_port_task_wait_kind(c, task)];
}

/* The walk's room for a name is at the beginning of the scratch memory. */
#define FRAMES_AT (TAPIR_SCRATCH_BYTES - TAPIR_STACK_MAX * sizeof(u64))

void tapir_task_stack_addresses(struct tapir_ctx *c, u64 task, char *dst, u32 cap)
{
	u64 *frames = (u64 *)((char *)c->scratch + FRAMES_AT);
	u32 count = tapir_port_task_stack(c, task, frames, TAPIR_STACK_MAX), used = 0, i;

	dst[0] = 0;
	tapir_work(c, TAPIR_WORK_KERNEL_WALK + count * (u64)(TAPIR_WORK_KERNEL_FRAME + TAPIR_WORK_TEXT_FRAME));
	for (i = 0; i < count; i++) {
		u32 longer = tapir_add_address(frames[i], dst, used, cap);

		if (longer == used) {
			tapir_count_cut(TAPIR_CUT_STACK, cap);
			return;
		}
		used = longer;
	}
}
