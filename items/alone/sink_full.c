// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of runtime/sink.c outside handlers: texts always have room there (items/item_text.h). */
#include "format_internal.h"

void tapir_sink_full(struct tapir_sink *k, const char *bytes, u32 length)
{
	length = k->limit - k->length;
	__builtin_memcpy(k->dst + k->length, bytes, length);
	k->length = k->limit;
}
