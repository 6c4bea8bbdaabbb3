// SPDX-License-Identifier: GPL-2.0-or-later
/* A script's module: loading it only puts up the control file; everything else begins at START. */
#include <linux/module.h>
#include <linux/stringify.h>
#include <tapir/abi.h>
#include "compat/kernel_build.h"
#include "budget_pages.h"
#include "cgroups.h"
#include "control.h"
#include "port_raise.h"
#include "processes.h"
#include "programs.h"
#include "state.h"
#include "symbols.h"
#include "user_lock.h"
#include "user_objects.h"
#include "session.h"

static int __init tapir_init(void)
{
	int error;

	/* The script and the runtime it is linked with were compiled apart. */
	if (tapir_module.abi != TAPIR_ABI)
		return -ENOEXEC;
	tapir_session_init();
	error = tapir_symbols_create();
	if (error)
		return error;
	error = tapir_control_create();
	if (error)
		tapir_symbols_destroy();
	return error;
}

static void __exit tapir_exit_module(void)
{
	tapir_control_destroy();
	tapir_session_destroy();
	if (&tapir_user_locks_finish)
		tapir_user_locks_finish();
	if (&tapir_signals_finish)
		tapir_signals_finish();
	/* The work that these wait for notifies, too. */
	tapir_session_quiesce();
	if (tapir_has_user_objects())
		tapir_user_object_ops.destroy();
	tapir_budget_pages_release();
	tapir_cgroup_release();
	tapir_programs_release();
	tapir_processes_release();
	tapir_symbols_destroy();
}

module_init(tapir_init);
module_exit(tapir_exit_module);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tapir probe script");
MODULE_INFO(tapir_abi, __stringify(TAPIR_ABI));
MODULE_INFO(tapir_kernel, TAPIR_KERNEL_BUILD);
