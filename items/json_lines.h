/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON that grows, for the loader and native runs. common/json.h is for programs in C++ that write few strings. */
#ifndef TAPIR_JSON_LINES_H
#define TAPIR_JSON_LINES_H

#include <stddef.h>

#include <tapir/types.h>

/* All-zero is empty. */
struct tapir_json {
	char *text;
	size_t used, room;
	bool is_latin1; /* strings are written byte by byte: U+0000 to U+00FF */
	bool is_odd;	/* a string was written that is not UTF-8; without is_latin1 it lost those bytes */
	bool failed;	/* no memory: nothing is appended any more */
};

/* Appends what is JSON. */
void tapir_json_put(struct tapir_json *j, const char *text, size_t length);
void tapir_json_puts(struct tapir_json *j, const char *text);
/* Appends a string in its quotes; any bytes. */
void tapir_json_string(struct tapir_json *j, const char *text, size_t length);
void tapir_json_number(struct tapir_json *j, s64 n);
void tapir_json_unsigned(struct tapir_json *j, u64 n);
/* Appends `,"name":`, whose value comes next, and members of an object that is not empty. */
void tapir_json_member(struct tapir_json *j, const char *name);
void tapir_json_text_member(struct tapir_json *j, const char *name, const char *text);
void tapir_json_number_member(struct tapir_json *j, const char *name, s64 n);
void tapir_json_unsigned_member(struct tapir_json *j, const char *name, u64 n);

void tapir_json_free(struct tapir_json *j); /* all-zero again */

#endif
