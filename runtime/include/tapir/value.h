/* SPDX-License-Identifier: GPL-2.0-or-later */
/* $value of procfs probes: the text a file is read as, or that was written to it. */
#ifndef TAPIR_VALUE_H
#define TAPIR_VALUE_H

#include <tapir/context.h>

/* args[0] of such a hit points to one. */
struct tapir_value {
	char *bytes;	 /* with a NUL behind them */
	u32 length, cap; /* length < cap */
};

/* Outside procfs probes, the value is "" and assignments do nothing. */
void tapir_value_get(struct tapir_ctx *c, char *dst, u32 cap);
/* As tapir_value_get(), but a value that does not fit does not count as cut: the result of an assignment is hardly ever used. */
void tapir_value_peek(struct tapir_ctx *c, char *dst, u32 cap);
/* Cut at the file's size limit. */
void tapir_value_set(struct tapir_ctx *c, const char *text, u32 cap);
void tapir_value_append(struct tapir_ctx *c, const char *text, u32 cap);

#endif
