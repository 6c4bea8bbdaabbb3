// SPDX-License-Identifier: GPL-2.0-or-later
/* The probes that want a process: see process_probes.h. */
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "compat/exe_file.h"
#include "kind.h"
#include "programs.h"
#include "process_probes.h"
#include "report.h"
#include "ledger.h"

const struct inode *tapir_running(struct mm_struct *mm)
{
	struct file *file = tapir_exe_file_get(mm);
	const struct inode *inode = NULL;

	if (!file)
		return NULL;
	/* The real file, independent of the overlay that the process knows it by. */
	inode = d_real_inode(file->f_path.dentry);
	fput(file);
	return inode;
}

/* Returns -ENOENT if the file is missing. */
static int tapir_process_probe_program(struct tapir_process_probe *p, bool must)
{
	if (p->arg->program == TAPIR_NO_PROGRAM)
		return 0;
	p->program = tapir_program_inode(p->arg->program);
	if (p->program)
		return 0;
	if (must)
		tapir_session_fail(TAPIR_TEXT(NoProgramFile), p->hook.probe->point, tapir_module.programs[p->arg->program].path);
	return -ENOENT;
}

static int tapir_process_probe_find(struct tapir_process_probes *all, u32 probe)
{
	struct tapir_process_probe *p = &all->list[all->count];
	const struct tapir_process_arg *arg = tapir_module.probes[probe].arg;
	bool must = !arg->wildcard && !arg->optional;
	int error;

	*p = (struct tapir_process_probe){.hook = tapir_hook_of(probe), .arg = arg, .probe = probe};
	error = tapir_process_probe_program(p, must);
	if (!error)
		error = tapir_whose_find(&p->whose, probe, must);
	if (error)
		return !must && (error == -ENOENT || error == -ESRCH) ? 0 : error;
	tapir_ledger_add_attached(probe, 1);
	all->by_program |= p->program != NULL;
	all->count++;
	return 0;
}

int tapir_process_probes_create(struct tapir_process_probes *all)
{
	int error = 0;
	u32 i;

	all->count = 0;
	all->by_program = false;
	all->list = kvcalloc(tapir_kind_probes(all->kind), sizeof(*all->list), GFP_KERNEL);
	if (!all->list) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryProcessProbes));
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes && !error; i++)
		if (tapir_module.probes[i].kind == all->kind)
			error = tapir_process_probe_find(all, i);
	if (error)
		tapir_process_probes_destroy(all);
	return error;
}

void tapir_process_probes_destroy(struct tapir_process_probes *all)
{
	u32 i;

	for (i = 0; i < all->count; i++)
		tapir_whose_release(&all->list[i].whose);
	kvfree(all->list);
	all->list = NULL;
	all->count = 0;
}
