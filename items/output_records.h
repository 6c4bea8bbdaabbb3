/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records for programs of what a script printed: a line of JSON or of CSV each. docs/output.md has their members. For the loader
 * and native runs.
 */
#ifndef TAPIR_OUTPUT_RECORDS_H
#define TAPIR_OUTPUT_RECORDS_H

#include "items/json_lines.h"
#include "items/table_head.h"

enum tapir_form { TAPIR_FORM_TEXT, TAPIR_FORM_JSON, TAPIR_FORM_CSV };

/* "text", "json", "csv". False: it is none of them. */
bool tapir_form_of(const char *name, enum tapir_form *form);

struct tapir_stamp {
	u64 time; /* CLOCK_MONOTONIC, ns */
	s32 cpu;  /* -1: none */
};

struct tapir_known_table {
	struct tapir_known_table *next;
	char *key; /* its format's first piece */
	size_t length;
};

/* All-zero, but for the form and the stamp, is without lines. */
struct tapir_records {
	enum tapir_form form;
	struct tapir_stamp stamp;	  /* of what is added next */
	bool many_tables;		  /* CSV: a line begins with the name of its table */
	struct tapir_json lines;	  /* to be taken by the user: text and used. They are whole, also when it failed */
	struct tapir_json text;		  /* a line that was printed in part */
	struct tapir_known_table *tables; /* whose head was written */
	bool left_out;			  /* CSV: something was printed that is no row */
};

/* Text that was printed. Lines become records, the last part of one by tapir_records_end_text(). CSV has none. */
void tapir_records_text(struct tapir_records *r, const char *text, size_t length);
void tapir_records_end_text(struct tapir_records *r);
/* An item of a format, or of a histogram (`f` is NULL); `text`: as it is printed. False: it is damaged. */
bool tapir_records_format(struct tapir_records *r, const struct tapir_item_format *f, const char *item, const char *text,
			  size_t length);
bool tapir_records_histogram(struct tapir_records *r, const char *item, u32 bytes);
/* A message: type "error" or "warning". */
void tapir_records_message(struct tapir_records *r, const char *type, const char *text, size_t length);
/* Any other record of JSON: `members` writes them. It may be called twice, and is to write the same. */
void tapir_records_other(struct tapir_records *r, const char *type, void (*members)(struct tapir_json *j, void *with), void *with);

void tapir_records_free(struct tapir_records *r);

#endif
