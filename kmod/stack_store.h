/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for stacks as values (tapir/stacks.h), and what the loader reads of them. Linked only when a script stores stacks. */
#ifndef TAPIR_STACK_STORE_H
#define TAPIR_STACK_STORE_H

#include <tapir/wire.h>

struct tapir_stacks_ops {
	/* Before the first handler: reserves room for `bytes` of stacks, but allocates little at once. May sleep. Returns -ENOMEM
	 * and keeps nothing if memory is short. */
	int (*create)(u64 bytes);
	/* Returns the bytes that create() allocates at once. */
	u64 (*least)(u64 bytes);
	/* After the last handler. May sleep. */
	void (*destroy)(void);
	int (*count)(struct tapir_ioc_stacks *count);
	int (*read)(struct tapir_ioc_bulk *bulk);
	int (*profile)(struct tapir_ioc_profile *profile);
};
extern const struct tapir_stacks_ops tapir_stacks_ops __weak;

static inline bool tapir_has_stacks(void)
{
	return &tapir_stacks_ops != NULL;
}

/* Its parts. */
int tapir_stacks_create(u64 bytes);
u64 tapir_stacks_least(u64 bytes);
void tapir_stacks_destroy(void);
int tapir_stacks_count(struct tapir_ioc_stacks *count);
int tapir_stacks_read(struct tapir_ioc_bulk *bulk);
int tapir_profile_read(struct tapir_ioc_profile *profile);

#endif
