/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a session, from START to DONE. Process context, serialised by the caller. */
#ifndef TAPIR_KMOD_SESSION_H
#define TAPIR_KMOD_SESSION_H

#include <tapir/wire.h>

/* Settings, before START: -EBUSY afterwards, -EINVAL for a value out of range. */
int tapir_session_configure(const struct tapir_ioc_config *config);
/* name=value: -ENOENT no such settable global, -EINVAL not a number, -EBUSY after START. */
int tapir_session_set_global(const char *name, const char *text);
/* Allocates and starts the session thread: -EBUSY if it was started before, -ENOMEM. */
int tapir_session_start(void);
/* Asks a session that was started to end; a begin handler that is running aborts. */
void tapir_session_stop(void);
/* Like stop, and aborts the begin or end handler that is running. */
void tapir_session_interrupt(void);
/* Like interrupt, and also aborts later session-level handlers that run long: the loader is gone. */
void tapir_session_abandon(void);
/* Stops a session in any state and waits; frees everything. Once, at module exit. */
void tapir_session_destroy(void);

#endif
