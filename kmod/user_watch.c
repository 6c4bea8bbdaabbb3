// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wants the tables of files when they are mapped to be run, by exec or by the dynamic linker, rather than when a stack first needs
 * them. A kernel where this cannot be watched only loses the time.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include "compat/kprobe.h"
#include "compat/regs.h"
#include "user_objects.h"

/* perf_event_mmap(vma), by which perf learns of mappings. */
static int tapir_user_mapped(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const struct vm_area_struct *)tapir_register_argument(regs, 0);

	if (vma && (vma->vm_flags & VM_EXEC) && vma->vm_file)
		tapir_user_object_expect(vma);
	return 0;
}
NOKPROBE_SYMBOL(tapir_user_mapped);

static struct kprobe tapir_user_mapping = {.symbol_name = "perf_event_mmap", .pre_handler = tapir_user_mapped};
static bool tapir_user_watching;

void tapir_user_watch_start(void)
{
	tapir_user_watching = !tapir_kprobe_register(&tapir_user_mapping);
}

void tapir_user_watch_stop(void)
{
	if (tapir_user_watching)
		unregister_kprobe(&tapir_user_mapping);
	tapir_user_watching = false;
}
