// SPDX-License-Identifier: GPL-2.0-or-later
/* The processes whose hits a probe wants: see whose.h. */
#include <linux/errno.h>
#include <tapir/abi.h>
#include "processes.h"
#include "state.h"
#include "whose.h"
#include "report.h"

static int tapir_whose_missing(u32 probe, s64 pid, bool must)
{
	if (must)
		tapir_session_fail(TAPIR_TEXT(NoProcess), tapir_module.probes[probe].point, pid);
	return -ESRCH;
}

int tapir_whose_find(struct tapir_whose *whose, u32 probe, bool must)
{
	s32 pid = tapir_probe_pid(probe);
	int error;

	*whose = (struct tapir_whose){0};
	if (pid > 0) {
		whose->process = tapir_probe_process(probe);
		return whose->process ? 0 : tapir_whose_missing(probe, pid, must);
	}
	if (pid != TAPIR_PID_TARGET || !tapir_session.target)
		return 0;
	if (!tapir_target_process())
		return tapir_whose_missing(probe, tapir_session.target, must);
	error = tapir_family_follow();
	whose->family = !error;
	return error;
}

void tapir_whose_release(struct tapir_whose *whose)
{
	if (whose->family)
		tapir_family_leave();
	whose->family = false;
}
