/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of items (tapir/items.h), for the loader and native runs. The input is checked, not trusted. */
#ifndef TAPIR_ITEM_TEXT_H
#define TAPIR_ITEM_TEXT_H

#include <tapir/items.h>
#include <tapir/wire.h>

/*
 * Reads the description of a format, in the layout of struct tapir_ioc_format. `f` then points into `description` and to pieces
 * that tapir_format_free() frees; the caller sets its number. Returns 0, -ENOMEM, or -EINVAL if that is not a format that the
 * loader makes text of.
 */
int tapir_format_read(const char *description, u32 length, struct tapir_item_format *f);
void tapir_format_free(struct tapir_item_format *f);

/* The most bytes that the text of an item takes which has `bytes` bytes itself. `f`: its format; NULL: it is text. */
u32 tapir_item_text_most(const struct tapir_item_format *f, u32 bytes);
/* Writes the text of a whole item, as tapir_item_bytes() has found it, to where there is room for the most. Returns its length. */
u32 tapir_item_text(const struct tapir_item_format *f, const char *item, u32 bytes, char *dst, u32 room);

#endif
