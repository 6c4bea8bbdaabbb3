// SPDX-License-Identifier: GPL-2.0-or-later
/* $value of procfs probes: see tapir/value.h. */
#include <tapir/string.h>
#include <tapir/value.h>

static struct tapir_value *value_of(struct tapir_ctx *c)
{
	return c->args && c->probe->kind == &tapir_kind_procfs ? (struct tapir_value *)(unsigned long)c->args[0] : NULL;
}

void tapir_value_get(struct tapir_ctx *c, char *dst, u32 cap)
{
	const struct tapir_value *value = value_of(c);

	tapir_str_copy(dst, value ? value->bytes : "", cap);
}

void tapir_value_peek(struct tapir_ctx *c, char *dst, u32 cap)
{
	const struct tapir_value *value = value_of(c);
	const u32 length = value ? tapir_strlen(value->bytes, cap) : 0;

	if (length)
		__builtin_memcpy(dst, value->bytes, length);
	dst[length] = 0;
}

void tapir_value_set(struct tapir_ctx *c, const char *text, u32 cap)
{
	struct tapir_value *value = value_of(c);

	if (value)
		value->length = 0;
	tapir_value_append(c, text, cap);
}

void tapir_value_append(struct tapir_ctx *c, const char *text, u32 cap)
{
	struct tapir_value *value = value_of(c);
	u32 length = tapir_strlen(text, cap), room;

	if (!value)
		return;
	room = value->cap - 1 - value->length;
	if (TAPIR_UNLIKELY(length > room)) {
		length = room;
		tapir_count_cut(TAPIR_CUT_STRING, value->cap);
	}
	__builtin_memcpy(value->bytes + value->length, text, length);
	value->length += length;
	value->bytes[value->length] = 0;
}
