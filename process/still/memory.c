// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tapir/port.h: memory of the program itself. Unused memory is not taken from the machine: an array for millions of elements costs
 * only its contents.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "handler.h"
#include "process/still/still.h"

#define HEAD  64u /* in front of each block, which keeps its alignment: its size, if it is mapped */
#define LARGE (64u << 10)

void *tapir_port_alloc(u64 bytes)
{
	u64 all = bytes + HEAD;
	u64 *head;

	if (all < bytes)
		return NULL;
	if (all < LARGE) {
		head = aligned_alloc(HEAD, (all + HEAD - 1) & ~(u64)(HEAD - 1));
		if (!head)
			return NULL;
		__builtin_memset(head, 0, all);
	} else {
		head = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (head == MAP_FAILED)
			return NULL;
		head[0] = all;
	}
	return (char *)head + HEAD;
}

void tapir_port_free(void *p)
{
	u64 *head = p ? (u64 *)((char *)p - HEAD) : NULL;

	if (head && head[0])
		munmap(head, head[0]);
	else
		free(head);
}

u64 tapir_port_room(void)
{
	return 1ull << 40;
}
