// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: output, as the loader writes it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/base/base.h"
#include "items/globals_table.h"
#include "items/histogram_table.h"
#include "items/item_text.h"
#include "items/row_text.h"
#include "handler.h"

static pthread_mutex_t output_mutex = PTHREAD_MUTEX_INITIALIZER;

/* The rows of tables that have not ended. The mutex of output protects them. */
static struct tapir_histogram_rows histogram_rows;
static struct tapir_globals_table globals_table;
static struct tapir_rows table_rows;
static struct tapir_records records;

static void print_picture(char *text, size_t length)
{
	if (!text)
		abort();
	fwrite(text, 1, length, stdout);
	free(text);
}

static void end_globals(void)
{
	struct tapir_screen screen;
	size_t length;
	char *text;

	if (!globals_table.rows)
		return;
	tapir_screen_read(&screen, STDOUT_FILENO);
	text = tapir_globals_text(&globals_table, &screen, &length);
	print_picture(text, length);
}

static void end_rows(void)
{
	struct tapir_screen screen;
	size_t length;
	char *text;

	if (!table_rows.rows)
		return;
	tapir_screen_read(&screen, STDOUT_FILENO);
	text = tapir_rows_text(&table_rows, &screen, &length);
	print_picture(text, length);
}

static void print_row(const struct tapir_item_format *f, const char *item)
{
	struct tapir_screen screen;

	tapir_screen_read(&screen, STDOUT_FILENO);
	if (tapir_rows_add(&table_rows, &screen, f, item))
		return;
	end_rows();
	if (!tapir_rows_add(&table_rows, &screen, f, item))
		abort();
}

/* Something other than a row of a table is printed. */
static void end_tables(void)
{
	end_globals();
	end_rows();
	tapir_rows_interrupt(&table_rows);
}

/* False: it is to be printed as it is. */
static bool keep_global(const struct tapir_item_format *f, const char *item, const char *text, u32 length)
{
	struct tapir_screen screen;

	tapir_screen_read(&screen, STDOUT_FILENO);
	if (!tapir_is_row(f) || !screen.terminal || tapir_host.compatible)
		return false;
	if (!tapir_globals_add(&globals_table, f, item, text, length)) {
		end_globals();
		tapir_globals_add(&globals_table, f, item, text, length);
	}
	return true;
}

void tapir_host_end_output(void)
{
	struct tapir_screen screen;
	size_t length;
	char *text;
	u64 table;

	pthread_mutex_lock(&output_mutex);
	end_globals();
	tapir_screen_read(&screen, STDOUT_FILENO);
	while ((table = tapir_histogram_unended(&histogram_rows)) != 0) {
		text = tapir_histogram_table_text(&histogram_rows, table, &screen, &length);
		print_picture(text, length);
	}
	pthread_mutex_unlock(&output_mutex);
}

static void print_histogram(const char *item, u32 bytes)
{
	struct tapir_screen screen;
	size_t length;
	bool is_end;
	u64 table = tapir_histogram_table(item, &is_end);
	char *text;

	if (table && !is_end) {
		if (!tapir_histogram_keep(&histogram_rows, item, bytes))
			abort();
		return;
	}
	tapir_screen_read(&screen, STDOUT_FILENO);
	text = table ? tapir_histogram_table_text(&histogram_rows, table, &screen, &length)
		     : tapir_histogram_text(item, bytes, &screen, &length);
	if (tapir_rows_part(&table_rows))
		fputc('\n', stdout);
	tapir_rows_interrupt(&table_rows);
	print_picture(text, length);
}

/* ---- records ---- */

static void write_records(void)
{
	if (records.lines.failed)
		abort();
	fwrite(records.lines.text, 1, records.lines.used, stdout);
	records.lines.used = 0;
}

static void stamp(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	records.stamp.time = (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
	records.stamp.cpu = -1;
}

static void record_item(const struct tapir_item_format *f, const char *item, u32 bytes, const char *text, u32 length)
{
	u16 number;
	bool good = true;

	memcpy(&number, item, sizeof(number));
	if (f)
		good = tapir_records_format(&records, f, item, text, length);
	else if (number == TAPIR_ITEM_HISTOGRAM)
		good = tapir_records_histogram(&records, item, bytes);
	else
		tapir_records_text(&records, text, length);
	if (!good)
		abort();
}

static u32 count_tables(void)
{
	const char *last = NULL;
	u32 tables = 0, i;

	for (i = 0; i < tapir_module.nformats; i++) {
		struct tapir_table_head head;

		if (!tapir_is_table_row(&tapir_module.formats[i]) || !tapir_table_head_read(&head, &tapir_module.formats[i]))
			continue;
		tables += !last || strcmp(last, head.name) != 0;
		last = head.name;
	}
	return tables;
}

void tapir_host_begin_records(enum tapir_form form)
{
	records.form = form;
	records.many_tables = form == TAPIR_FORM_CSV && count_tables() > 1;
}

void tapir_host_record(const char *type, void (*members)(struct tapir_json *j, void *with), void *with)
{
	pthread_mutex_lock(&output_mutex);
	stamp();
	tapir_records_other(&records, type, members, with);
	write_records();
	pthread_mutex_unlock(&output_mutex);
}

void tapir_host_record_message(const char *type, const char *text)
{
	pthread_mutex_lock(&output_mutex);
	if (records.form == TAPIR_FORM_JSON) {
		stamp();
		tapir_records_message(&records, type, text, strlen(text));
		write_records();
	}
	pthread_mutex_unlock(&output_mutex);
}

/* ---- items ---- */

/* As the loader does: by the formats' descriptions. */
static void print_item(const char *item, u32 bytes)
{
	struct tapir_item_format read, *f = NULL;
	char text[TAPIR_ITEM_SPREAD + TAPIR_RECORD_MAX], *description = NULL;
	u32 printed = 0;
	u16 number;

	memcpy(&number, item, sizeof(number));
	if (number < TAPIR_ITEM_FORMATS) {
		u32 length = tapir_format_bytes(&tapir_module.formats[number]);

		description = malloc(length);
		if (!description)
			abort();
		tapir_format_describe(&tapir_module.formats[number], description);
		f = &read;
		if (tapir_format_read(description, length, f))
			abort();
	}
	if (number != TAPIR_ITEM_HISTOGRAM)
		printed = tapir_item_text(f, item, bytes, text, tapir_item_text_most(f, bytes));
	if (records.form != TAPIR_FORM_TEXT) {
		record_item(f, item, bytes, text, printed);
	} else if (f && tapir_is_table_row(f)) {
		end_globals();
		print_row(f, item);
	} else if (number == TAPIR_ITEM_HISTOGRAM) {
		end_globals();
		end_rows();
		print_histogram(item, bytes);
	} else if (!f || !keep_global(f, item, text, printed)) {
		end_tables();
		fwrite(text, 1, printed, stdout);
	}
	if (f)
		tapir_format_free(f);
	free(description);
}

static void print_items(const char *items, u32 length)
{
	u32 at, bytes;

	for (at = 0; at < length; at += bytes) {
		bytes = tapir_item_bytes(tapir_module.formats, tapir_module.nformats, items + at, length - at);
		if (!bytes)
			abort();
		print_item(items + at, bytes);
	}
	end_rows();
}

static void print_text(const char *text, u32 length)
{
	if (records.form != TAPIR_FORM_TEXT) {
		tapir_records_text(&records, text, length);
		return;
	}
	end_tables();
	fwrite(text, 1, length, stdout);
}

static void tell(u8 type, const char *text, u32 length)
{
	const char *name = type == TAPIR_REC_ERROR ? "ERROR" : type == TAPIR_REC_WARNING ? "WARNING" : "SYSTEM";

	if (type != TAPIR_REC_SYSTEM)
		tapir_records_message(&records, type == TAPIR_REC_ERROR ? "error" : "warning", text, length);
	end_tables();
	write_records();
	fflush(stdout);
	fprintf(stderr, "%s: %.*s\n", name, (int)length, text);
}

bool tapir_port_emit(struct tapir_ctx *c, u8 type, const void *data, u32 length)
{
	(void)c;
	if (length > TAPIR_RECORD_MAX)
		return false;
	pthread_mutex_lock(&output_mutex);
	if (tapir_host.sink) {
		tapir_host.sink(tapir_host.sink_arg, type, data, length);
		pthread_mutex_unlock(&output_mutex);
		return true;
	}
	if (records.form != TAPIR_FORM_TEXT)
		stamp();
	if (type == TAPIR_REC_DATA)
		print_text(data, length);
	else if (type == TAPIR_REC_PRINT)
		print_items(data, length);
	else
		tell(type, data, length);
	tapir_records_end_text(&records);
	write_records();
	pthread_mutex_unlock(&output_mutex);
	return true;
}
