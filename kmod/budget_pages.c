// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory in which sessions share a budget: see budget_pages.h. */
#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <tapir/wire.h>
#include "budget_pages.h"

static struct {
	struct page **pages;
	int count;
	void *mapped; /* a struct tapir_budget_file */
} tapir_budget_pages;

static_assert(sizeof(struct tapir_shared_row) == TAPIR_BUDGET_ROW);

void tapir_budget_pages_release(void)
{
	if (tapir_budget_pages.mapped)
		vunmap(tapir_budget_pages.mapped);
	if (tapir_budget_pages.count > 0)
		unpin_user_pages(tapir_budget_pages.pages, tapir_budget_pages.count);
	kfree(tapir_budget_pages.pages);
	memset(&tapir_budget_pages, 0, sizeof(tapir_budget_pages));
}

int tapir_budget_pages_take(u64 address, u64 bytes)
{
	u64 needed = TAPIR_BUDGET_BYTES(nr_cpu_ids);
	int wanted = DIV_ROUND_UP(needed, PAGE_SIZE), error = -ENOMEM;

	if (tapir_budget_pages.pages)
		return -EEXIST;
	if (bytes < needed || address % PAGE_SIZE)
		return -EINVAL;
	tapir_budget_pages.pages = kcalloc(wanted, sizeof(struct page *), GFP_KERNEL);
	if (!tapir_budget_pages.pages)
		return -ENOMEM;
	tapir_budget_pages.count = pin_user_pages_fast(address, wanted, FOLL_WRITE | FOLL_LONGTERM, tapir_budget_pages.pages);
	if (tapir_budget_pages.count == wanted)
		tapir_budget_pages.mapped = vmap(tapir_budget_pages.pages, wanted, VM_MAP, PAGE_KERNEL);
	else
		error = tapir_budget_pages.count < 0 ? tapir_budget_pages.count : -EFAULT;
	if (tapir_budget_pages.mapped)
		return 0;
	tapir_budget_pages_release();
	return error;
}

struct tapir_shared_row *tapir_budget_row(int cpu)
{
	struct tapir_budget_file *file = tapir_budget_pages.mapped;

	return file ? (struct tapir_shared_row *)(file + 1) + cpu : NULL;
}
