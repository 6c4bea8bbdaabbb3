// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: counters, limits, output. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tapir/limit_names.h>

#include "process/base/base.h"
#include "items/globals_table.h"
#include "items/histogram_table.h"
#include "items/item_text.h"
#include "handler.h"

struct tapir_host_config tapir_host = {.ncpus = 4};

static struct tapir_host_probe *probes;
static bool exit_requested;
static u64 errors;
static u64 cuts[TAPIR_CUTS];
static pthread_mutex_t output_mutex = PTHREAD_MUTEX_INITIALIZER;

bool tapir_host_set_limit(const char *text, u64 interruptible)
{
	const char *equals = strchr(text, '=');
	u32 i;

	for (i = 0; equals && i < TAPIR_LIMITS; i++) {
		const char *name = tapir_limit_names[i];

		if (strlen(name) != (size_t)(equals - text) || strncmp(name, text, (size_t)(equals - text)))
			continue;
		tapir_host.limits[i] = strtoull(equals + 1, NULL, 0);
		if (i == TAPIR_LIMIT_MAXACTION)
			tapir_host.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE] = interruptible * tapir_host.limits[i];
		return true;
	}
	return false;
}

void tapir_host_reset(void)
{
	free(probes);
	probes = calloc(tapir_module.nprobes + 1, sizeof(*probes));
	if (!probes)
		abort();
	exit_requested = false;
	errors = 0;
	memset(cuts, 0, sizeof(cuts));
}

struct tapir_host_probe *tapir_host_probe_of(const struct tapir_probe *probe)
{
	if (!probes)
		tapir_host_reset();
	if (!probe || probe < tapir_module.probes || probe >= tapir_module.probes + tapir_module.nprobes)
		return &probes[tapir_module.nprobes];
	return &probes[probe - tapir_module.probes];
}

bool tapir_host_exit_requested(void)
{
	return __atomic_load_n(&exit_requested, __ATOMIC_ACQUIRE);
}

u64 tapir_host_errors(void)
{
	return __atomic_load_n(&errors, __ATOMIC_ACQUIRE);
}

u64 tapir_host_cut(u32 what)
{
	return __atomic_load_n(&cuts[what], __ATOMIC_ACQUIRE);
}

void tapir_port_count_cut(u32 what)
{
	__atomic_fetch_add(&cuts[what], 1, __ATOMIC_RELAXED);
}

bool tapir_host_fails(u64 *countdown)
{
	u64 n = __atomic_load_n(countdown, __ATOMIC_RELAXED);

	while (n && !__atomic_compare_exchange_n(countdown, &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return n == 1;
}

/* The rows of tables that have not ended. The mutex of output protects them. */
static struct tapir_histogram_rows histogram_rows;
static struct tapir_globals_table globals_table;

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
	print_picture(text, length);
}

/* As the loader does: by the formats' descriptions. */
static void print_item(const char *item, u32 bytes)
{
	struct tapir_item_format read, *f = NULL;
	char text[TAPIR_ITEM_SPREAD + TAPIR_RECORD_MAX], *description = NULL;
	u32 printed;
	u16 number;

	memcpy(&number, item, sizeof(number));
	if (number == TAPIR_ITEM_HISTOGRAM) {
		end_globals();
		print_histogram(item, bytes);
		return;
	}
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
	printed = tapir_item_text(f, item, bytes, text, tapir_item_text_most(f, bytes));
	if (!f || !keep_global(f, item, text, printed)) {
		end_globals();
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
}

bool tapir_port_emit(struct tapir_ctx *c, u8 type, const void *data, u32 length)
{
	(void)c;
	if (length > TAPIR_RECORD_MAX)
		return false;
	pthread_mutex_lock(&output_mutex);
	if (tapir_host.sink) {
		tapir_host.sink(tapir_host.sink_arg, type, data, length);
	} else if (type == TAPIR_REC_DATA) {
		end_globals();
		fwrite(data, 1, length, stdout);
	} else if (type == TAPIR_REC_PRINT) {
		print_items(data, length);
	} else {
		end_globals();
		fflush(stdout);
		fprintf(stderr, "%s: %.*s\n",
			type == TAPIR_REC_ERROR	    ? "ERROR"
			: type == TAPIR_REC_WARNING ? "WARNING"
						    : "SYSTEM",
			(int)length, (const char *)data);
	}
	pthread_mutex_unlock(&output_mutex);
	return true;
}

void tapir_port_request_exit(struct tapir_ctx *c)
{
	(void)c;
	__atomic_store_n(&exit_requested, true, __ATOMIC_RELEASE);
}

void tapir_port_count_skip(struct tapir_ctx *c, u32 reason)
{
	__atomic_add_fetch(&tapir_host_probe_of(c->probe)->skipped[reason], 1, __ATOMIC_RELAXED);
}

/* Nothing is attached here: every simulated hit asks its condition. */
void tapir_port_condition_changed(void)
{
}

bool tapir_port_count_error(struct tapir_ctx *c)
{
	u64 n = __atomic_add_fetch(&errors, 1, __ATOMIC_ACQ_REL);

	__atomic_add_fetch(&tapir_host_probe_of(c->probe)->errors, 1, __ATOMIC_RELAXED);
	if (tapir_host.suppress_errors)
		return false;
	if (n > tapir_port_limit(TAPIR_LIMIT_MAXERRORS))
		tapir_port_request_exit(c);
	return true;
}

u64 tapir_port_limit(u32 limit)
{
	if (tapir_host.limits[limit])
		return tapir_host.limits[limit];
	return tapir_module_limit(limit);
}
