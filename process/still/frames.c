// SPDX-License-Identifier: GPL-2.0-or-later
/* The frames of a thread that probes want: their functions' places on its stack. */
#include <stdio.h>
#include <stdlib.h>

#include "handler.h"
#include "process/still/still.h"

struct wanted {
	u64 address; /* of a return address, the one before it */
	u32 depth, probe, site;
};

static struct wanted *wanted;
static u32 nwanted;

static int by_place(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->probe != y->probe)
		return x->probe < y->probe ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static const struct tapir_frame_arg *frame_arg(u32 probe)
{
	const struct tapir_probe *p = &tapir_module.probes[probe];
	const struct tapir_frame_arg *arg = p->arg;

	return p->kind == &tapir_kind_frame && tapir_still_is(arg->pid) ? arg : NULL;
}

bool tapir_still_want_frames(void)
{
	u32 count = 0, i, k;

	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_frame_arg *arg = frame_arg(i);

		count += arg ? arg->code.count : 0;
	}
	wanted = calloc((size_t)count + 1, sizeof(*wanted));
	if (!wanted)
		return false;
	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_frame_arg *arg = frame_arg(i);
		u64 bias;

		if (!arg || tapir_port_program_bias(NULL, arg->program, &bias) != TAPIR_PROGRAM_MAPPED)
			continue;
		bias += tapir_module.programs[arg->program].text_bias;
		for (k = 0; k < arg->code.count; k++)
			wanted[nwanted++] =
			    (struct wanted){bias + (u64)arg->code.sites[k].offset, arg->depths ? arg->depths[k] : 0, i, k};
	}
	qsort(wanted, nwanted, sizeof(*wanted), by_place);
	return true;
}

/* The first one at an address or above it. */
static u32 find(u64 address)
{
	u32 low = 0, high = nwanted;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (wanted[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void warn_of_rest(void)
{
	char text[128];

	snprintf(text, sizeof(text), "the stack of thread %lld has more than %u frames; those further out are not looked at",
		 (long long)tapir_still_thread()->id, TAPIR_CORE_FRAMES);
	tapir_still_warn(text);
}

static void hit_frame(const struct tapir_unwind_frame *frame, u64 known, u32 number)
{
	u64 code = frame->pc - frame->called;
	u32 i = find(code);

	if (i == nwanted || wanted[i].address != code)
		return;
	tapir_still_enter_frame(frame, known, number);
	for (; i < nwanted && wanted[i].address == code && !tapir_still_is_over(); i++) {
		const struct tapir_probe *p = &tapir_module.probes[wanted[i].probe];

		tapir_still_enter_site(&((const struct tapir_frame_arg *)p->arg)->code.sites[wanted[i].site]);
		if (tapir_host_wants(p))
			tapir_host_hit(0, TAPIR_LEVEL_SESSION, p);
	}
	tapir_still_enter_site(NULL);
}

void tapir_still_each_frame(void)
{
	static struct tapir_user_walk walk;
	u64 known = tapir_still_known();
	u32 number = 0;
	u8 end;

	if (!nwanted || !tapir_port_user_walk_begin(NULL, &walk))
		return;
	do {
		hit_frame(&walk.frame, known, number);
		end = tapir_still_is_over() ? TAPIR_UNWIND_COMPLETE : tapir_unwind_step_known(&walk.source, &walk.frame, &known);
	} while (end == TAPIR_UNWIND_MORE && ++number < TAPIR_CORE_FRAMES);
	if (end == TAPIR_UNWIND_MORE)
		warn_of_rest();
	tapir_port_user_walk_end(&walk);
	tapir_still_enter_thread(tapir_still_thread());
}

/* process("path").frame("function@file:line") */
void tapir_port_pp(struct tapir_ctx *c, char *dst, u32 cap)
{
	const struct tapir_function_site *site = c->place;
	const struct tapir_frame_arg *arg = c->probe ? c->probe->arg : NULL;

	if (site)
		tapir_str_join(dst, (const char *const[]){arg->code.prefix, site->label, arg->code.suffix}, 3, cap);
	else
		tapir_str_copy(dst, c->probe ? c->probe->point : "", cap);
}
