/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output: the kernel's relay channels, one per stream, with a buffer per CPU and no files. Writers put down whole records with
 * interrupts off; the one reader takes them through the control file.
 */
#ifndef TAPIR_RELAY_H
#define TAPIR_RELAY_H

#include <tapir/wire.h>

struct tapir_ctx;

/* `bytes`: data buffer per CPU, 0 = by the number of CPUs. -ENOMEM: nothing is left allocated. */
int tapir_relay_create(u64 bytes);
/* Bytes of all buffers of output. */
u64 tapir_relay_bytes(void);
void tapir_relay_destroy(void);

/*
 * Makes a record of all that a handler printed, if that is short and complete. False: nothing was done; tapir_output_flush() is to
 * do it. Where the handler ran.
 */
bool tapir_relay_output(struct tapir_ctx *c);

/* Adds a record that does not come from a handler. If there is no room, it counts as dropped. Any context. */
void tapir_relay_note(u8 type, const char *text, u32 length);

/* Is there a reader? Any context. */
extern bool tapir_reader;

static inline bool tapir_relay_has_reader(void)
{
	return READ_ONCE(tapir_reader);
}

/* The reader's side: process context, serialised by the caller; do nothing before tapir_relay_create(). */

/*
 * Takes a snapshot: all records up to io->time can then be read, and perhaps later ones. Takes `flags`, fills `time` and `ready`.
 * From the first snapshot on session-level handlers wait for room, also if it comes before tapir_relay_create(). Interrupts only
 * the CPUs that have written since the last one.
 */
void tapir_relay_snapshot(struct tapir_ioc_snapshot *io);
/* Copies whole records. -EINVAL: no such stream or CPU, or too little room; -EFAULT: nothing was taken. */
int tapir_relay_read(struct tapir_ioc_read *io);
/* -EINVAL: no such stream or CPU. */
int tapir_relay_count(struct tapir_ioc_stream *row);
u64 tapir_relay_control_dropped(void);
/* No reader will take snapshots any more: session-level handlers do not wait for room. */
void tapir_relay_reader_gone(void);

#endif
