/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state that BPF programs and their loader share in the arena. The loader fills it in before it loads a program. Addresses of
 * the arena are below 4 GB and the same on both sides.
 */
#ifndef TAPIR_BPF_STATE_H
#define TAPIR_BPF_STATE_H

#include <tapir/types.h>

#define TAPIR_BPF_CPUS_MAX	 512
#define TAPIR_BPF_REGISTER_WORDS 21 /* of struct pt_regs of x86-64; that of arm64 has more, of which the first are kept */

struct tapir_ctx;

/* Records of one processor (struct tapir_record, tapir/wire.h), one behind the other. A record that would cross the end begins at
 * the start; the room that is left is skipped by a record of no type. */
struct tapir_bpf_ring {
	char *data;
	u64 bytes; /* of it, a power of two */
	u64 head;  /* where the next record begins, from the start of the session; the writer's */
	u64 tail;  /* up to where it was read; the reader's */
	u64 records, dropped;
	u64 unused[2];
};

/* One handler at a time has it. */
struct tapir_bpf_context {
	struct tapir_ctx *ctx;
	char *frame; /* where frames of functions begin (bpf/compile/lowering.h) */
	u64 busy;
	u64 registers[TAPIR_BPF_REGISTER_WORDS];
};

struct tapir_bpf_cpu {
	struct tapir_bpf_context contexts[4]; /* by level, below TAPIR_LEVEL_SESSION */
	struct tapir_bpf_ring ring;
	u64 stuck; /* locks that were not free in a bounded time, where a handler has to have them */
};

/* Counts of a probe, over all processors. */
struct tapir_bpf_probe {
	u64 hits, handled, errors;
	u64 skipped[8]; /* enum tapir_skip */
};

struct tapir_bpf_state {
	struct tapir_bpf_cpu *cpus;	/* by number */
	struct tapir_bpf_probe *probes; /* by number */
	u64 limits[16];			/* enum tapir_limit */
	u32 ncpus, nprocessors;
	const u16 *processors; /* that handlers may run on */
	u64 exit;	       /* a handler called exit() */
	u64 first_actions;     /* of a handler, until its first look at the clock */
	u64 cuts[8];	       /* enum tapir_cut */
	u64 errors;	       /* of all probes */
	u64 grow, tend;	       /* arrays ask for it */
	u64 conditions;	       /* may have changed */
	u64 wall_offset;       /* from the monotonic clock to the time of day, in ns */
	u32 target, loader;    /* process IDs */
};

extern struct tapir_bpf_state tapir_bpf;

/* The counts of the probe whose handler runs. */
#define TAPIR_BPF_COUNTS(c) (&tapir_bpf.probes[(c)->probe - tapir_module.probes])

#endif
