// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "items/event_text.h"
#include "items/global_line.h"
#include "items/histogram_item.h"
#include "items/output_records.h"
#include "items/csv_lines.h"

bool tapir_form_of(const char *name, enum tapir_form *form)
{
	static const char *const names[] = {"text", "json", "csv"};
	u32 i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*form = (enum tapir_form)i;
		return true;
	}
	return false;
}

/* ---- one record ---- */

static void put_record(struct tapir_records *r, const char *type, void (*members)(struct tapir_json *, void *), void *with)
{
	struct tapir_json *j = &r->lines;

	tapir_json_puts(j, "{\"v\":1,\"type\":\"");
	tapir_json_puts(j, type);
	tapir_json_puts(j, "\"");
	tapir_json_unsigned_member(j, "t", r->stamp.time);
	if (r->stamp.cpu >= 0)
		tapir_json_number_member(j, "cpu", r->stamp.cpu);
	members(j, with);
	if (j->is_latin1)
		tapir_json_puts(j, ",\"latin1\":true");
	tapir_json_puts(j, "}\n");
}

/* Where a string is not UTF-8, all strings of the record are written byte by byte. */
void tapir_records_other(struct tapir_records *r, const char *type, void (*members)(struct tapir_json *, void *), void *with)
{
	const size_t begin = r->lines.used;

	if (r->form != TAPIR_FORM_JSON)
		return;
	r->lines.is_odd = r->lines.is_latin1 = false;
	put_record(r, type, members, with);
	if (r->lines.is_odd) {
		r->lines.used = begin;
		r->lines.is_latin1 = true;
		put_record(r, type, members, with);
	}
	if (r->lines.failed)
		r->lines.used = begin;
}

/* ---- text ---- */

struct printed {
	const char *text;
	size_t length;
	const struct tapir_item_format *f; /* NULL: it was made of more than one, or of none */
	const char *item;
};

/* From an argument on, which stands at `at`. */
static void put_arguments(struct tapir_json *j, const struct tapir_item_format *f, u32 first, const char *at)
{
	u32 i;

	tapir_json_member(j, "args");
	tapir_json_puts(j, "[");
	for (i = first; i < f->nargs; i++) {
		const struct tapir_cell cell = tapir_cell_take(f, i, &at);

		tapir_json_puts(j, i > first ? "," : "");
		if (cell.text)
			tapir_json_string(j, cell.text, strlen(cell.text));
		else
			tapir_json_number(j, cell.number);
	}
	tapir_json_puts(j, "]");
}

static void put_printed(struct tapir_json *j, void *with)
{
	const struct printed *p = with;

	tapir_json_member(j, "text");
	tapir_json_string(j, p->text, p->length);
	if (p->f)
		put_arguments(j, p->f, 0, p->item + sizeof(u16));
}

static void print_line(struct tapir_records *r, const char *text, size_t length)
{
	struct printed p = {text, length, NULL, NULL};

	tapir_records_other(r, "print", put_printed, &p);
}

void tapir_records_end_text(struct tapir_records *r)
{
	if (r->text.used)
		print_line(r, r->text.text, r->text.used);
	r->text.used = 0;
}

void tapir_records_text(struct tapir_records *r, const char *text, size_t length)
{
	const char *newline;
	size_t line;

	if (r->form != TAPIR_FORM_JSON) {
		r->left_out = true;
		return;
	}
	for (; length && (newline = memchr(text, '\n', length)) != NULL; text += line, length -= line) {
		line = (size_t)(newline - text) + 1;
		if (!r->text.used) {
			print_line(r, text, line);
			continue;
		}
		tapir_json_put(&r->text, text, line);
		tapir_records_end_text(r);
	}
	tapir_json_put(&r->text, text, length);
}

/* ---- triggers and what is recalled ---- */

struct event_record {
	const struct tapir_event *event;
	const struct tapir_item_format *f;
	const char *text; /* the script's */
	size_t length;
};

static void put_event(struct tapir_json *j, void *with)
{
	const struct event_record *r = with;
	const struct tapir_event *event = r->event;

	tapir_json_text_member(j, "name", event->name);
	if (event->kind == TAPIR_EVENT_TRIGGER) {
		tapir_json_text_member(j, "program", event->program);
		tapir_json_number_member(j, "pid", event->process);
		tapir_json_number_member(j, "tid", event->thread);
		tapir_json_number_member(j, "time", event->wall_ns);
		tapir_json_number_member(j, "suppressed", event->suppressed);
	} else {
		if (event->thread >= 0)
			tapir_json_number_member(j, "tid", event->thread);
		tapir_json_number_member(j, "at", event->time);
		tapir_json_number_member(j, "age", event->age);
		tapir_json_number_member(j, "at_cpu", event->cpu);
	}
	tapir_json_member(j, "text");
	tapir_json_string(j, r->text, r->length);
	put_arguments(j, r->f, event->argument, event->at);
}

static void add_event(struct tapir_records *r, const struct tapir_item_format *f, const struct tapir_event *event, const char *text,
		      size_t length)
{
	char frame[TAPIR_EVENT_FRAME];
	const u32 front = tapir_event_front(event, frame), back = tapir_event_back(event, frame);
	struct event_record record = {event, f, text + front, length - front - back};

	tapir_records_end_text(r);
	tapir_records_other(r, event->kind == TAPIR_EVENT_TRIGGER ? "trigger" : "recall", put_event, &record);
}

/* ---- globals ---- */

static void put_value(struct tapir_json *j, const struct tapir_global_part *part)
{
	if (part->is_number)
		tapir_json_number(j, part->number);
	else
		tapir_json_string(j, part->text, strlen(part->text));
}

static void put_global(struct tapir_json *j, void *with)
{
	static const char *const statistics[] = {"count", "sum", "min", "avg", "max"};
	const struct tapir_global_line *l = with;
	u32 i;

	tapir_json_text_member(j, "name", l->name);
	if (l->keys)
		tapir_json_member(j, "keys");
	for (i = 0; i < l->keys; i++) {
		tapir_json_puts(j, i ? "," : "[");
		put_value(j, &l->parts[i]);
	}
	tapir_json_puts(j, l->keys ? "]" : "");
	if (l->count == l->keys)
		tapir_json_number_member(j, "count", 0);
	for (; i < l->count; i++) {
		tapir_json_member(j, l->is_statistic ? statistics[i - l->keys] : "value");
		put_value(j, &l->parts[i]);
	}
}

/* ---- tables ---- */

struct row {
	const struct tapir_table_head *head;
	const struct tapir_item_format *f;
	const char *item;
};

static void put_head(struct tapir_json *j, void *with)
{
	const struct tapir_table_head *head = with;
	u32 i;

	tapir_json_text_member(j, "name", head->name);
	tapir_json_member(j, "columns");
	for (i = 0; i < head->count; i++) {
		const struct tapir_column_head *column = &head->columns[i];

		tapir_json_puts(j, i ? ",{\"name\":" : "[{\"name\":");
		tapir_json_string(j, column->name, strlen(column->name));
		if (*column->unit)
			tapir_json_text_member(j, "unit", column->unit);
		if (*column->subject)
			tapir_json_text_member(j, "subject", column->subject);
		tapir_json_puts(j, "}");
	}
	tapir_json_puts(j, "]");
}

static void put_row(struct tapir_json *j, void *with)
{
	const struct row *row = with;
	const char *at = row->item + sizeof(u16);
	u32 i;

	tapir_json_text_member(j, "table", row->head->name);
	tapir_json_member(j, "row");
	for (i = 0; i < row->head->count; i++) {
		const char *name = row->head->columns[i].name;
		const struct tapir_cell cell = tapir_cell_take(row->f, i, &at);

		tapir_json_puts(j, i ? "," : "{");
		tapir_json_string(j, name, strlen(name));
		tapir_json_puts(j, ":");
		if (cell.text)
			tapir_json_string(j, cell.text, strlen(cell.text));
		else if (cell.number == TAPIR_NO_VALUE)
			tapir_json_puts(j, "null");
		else
			tapir_json_number(j, cell.number);
	}
	tapir_json_puts(j, "}");
}

/* Metrics (@metric): a row that declares one, whose values follow, and one behind them. */
static void put_metric(struct tapir_json *j, void *with)
{
	const struct tapir_column_head *column = ((const struct row *)with)->head->columns;
	const u32 count = ((const struct row *)with)->head->count;
	u32 i;

	tapir_json_text_member(j, "name", column[0].name);
	if (count < 3) /* the row behind its values */
		return;
	tapir_json_text_member(j, "kind", column[1].name);
	tapir_json_text_member(j, "help", column[0].subject);
	if (*column[1].subject)
		tapir_json_text_member(j, "unit", column[1].subject);
	if (strcmp(column[1].name, "histogram") == 0)
		tapir_json_text_member(j, "shape", column[2].name);
	tapir_json_member(j, "labels");
	tapir_json_puts(j, "[");
	for (i = 3; i < count; i++) {
		tapir_json_puts(j, i > 3 ? "," : "");
		tapir_json_string(j, column[i].name, strlen(column[i].name));
	}
	tapir_json_puts(j, "]");
}

/* Whether this is the table's first row. Without memory each is. */
static bool is_new_table(struct tapir_records *r, const struct tapir_item_format *f)
{
	const struct tapir_fmt *literal = f->pieces;
	struct tapir_known_table *t;

	for (t = r->tables; t; t = t->next) {
		if (t->length == literal->literal_len && memcmp(t->key, literal->literal, t->length) == 0)
			return false;
	}
	t = malloc(sizeof(*t) + literal->literal_len);
	if (!t) {
		r->lines.failed = true;
		return true;
	}
	t->key = (char *)(t + 1);
	t->length = literal->literal_len;
	memcpy(t->key, literal->literal, t->length);
	t->next = r->tables;
	r->tables = t;
	return true;
}

static bool add_row(struct tapir_records *r, const struct tapir_item_format *f, const char *item)
{
	struct tapir_table_head head;
	struct row row = {&head, f, item};

	if (!tapir_table_head_read(&head, f))
		return false;
	tapir_records_end_text(r);
	if (r->form == TAPIR_FORM_CSV && !tapir_is_metric_row(f)) {
		const size_t begin = r->lines.used;

		if (is_new_table(r, f))
			tapir_csv_head(&r->lines, &head, r->many_tables);
		tapir_csv_row(&r->lines, &head, r->many_tables, &r->stamp, f, item);
		if (r->lines.failed)
			r->lines.used = begin;
		return true;
	}
	if (tapir_is_metric_row(f)) {
		tapir_records_other(r, head.count > 1 ? "metric" : "metric_end", put_metric, &row);
		return true;
	}
	if (is_new_table(r, f))
		tapir_records_other(r, "table", put_head, &head);
	tapir_records_other(r, "row", put_row, &row);
	return true;
}

bool tapir_records_format(struct tapir_records *r, const struct tapir_item_format *f, const char *item, const char *text,
			  size_t length)
{
	struct tapir_global_line line;
	struct printed printed = {text, length, f, item};
	struct tapir_event event;

	if (tapir_is_table_row(f))
		return add_row(r, f, item);
	if (r->form == TAPIR_FORM_CSV) {
		r->left_out = true;
	} else if (tapir_event_read(&event, f, item)) {
		add_event(r, f, &event, text, length);
	} else if (tapir_is_global(f)) {
		tapir_records_end_text(r);
		tapir_global_line_read(&line, f, item);
		tapir_records_other(r, "value", put_global, &line);
	} else if (!r->text.used && f->nargs && length && memchr(text, '\n', length) == text + length - 1) {
		tapir_records_other(r, "print", put_printed, &printed);
	} else {
		tapir_records_text(r, text, length);
	}
	return true;
}

/* ---- histograms ---- */

static void put_keys(struct tapir_json *j, const struct tapir_histogram *h)
{
	u32 i;

	tapir_json_member(j, "keys");
	for (i = 0; i < h->nkeys; i++) {
		tapir_json_puts(j, i ? "," : "[");
		if (h->strings >> i & 1)
			tapir_json_string(j, h->keys[i], strlen(h->keys[i]));
		else
			tapir_json_puts(j, h->keys[i]);
	}
	tapir_json_puts(j, "]");
}

static void put_buckets(struct tapir_json *j, const struct tapir_histogram *h)
{
	bool any = false;
	s64 least, largest;
	u32 i;

	tapir_json_member(j, "buckets");
	tapir_json_puts(j, "[");
	for (i = h->first; i <= h->last; i++) {
		if (!h->counts[i])
			continue;
		tapir_histogram_range(h, i, &least, &largest);
		tapir_json_puts(j, any ? ",[" : "[");
		tapir_json_number(j, least);
		tapir_json_puts(j, ",");
		tapir_json_number(j, largest);
		tapir_json_puts(j, ",");
		tapir_json_unsigned(j, h->counts[i]);
		tapir_json_puts(j, "]");
		any = true;
	}
	tapir_json_puts(j, "]");
}

static void put_histogram(struct tapir_json *j, void *with)
{
	static const char *const percents[] = {"p50", "p90", "p99"};
	static const char *const kinds[] = {
	    [TAPIR_HIST_LOG] = "log", [TAPIR_HIST_LINEAR] = "linear", [TAPIR_HIST_LOGLINEAR] = "loglinear"};
	const struct tapir_histogram *h = with;
	u32 i;

	tapir_json_text_member(j, "name", h->name);
	if (h->nkeys)
		put_keys(j, h);
	if (*h->unit.text)
		tapir_json_text_member(j, "unit", h->unit.text);
	if (*h->subject)
		tapir_json_text_member(j, "subject", h->subject);
	tapir_json_text_member(j, "scale", kinds[h->shape.type]);
	tapir_json_unsigned_member(j, "count", (u64)h->total);
	tapir_json_number_member(j, "sum", h->sum);
	if (h->has_ends) {
		tapir_json_number_member(j, "min", h->min);
		tapir_json_number_member(j, "max", h->max);
	}
	for (i = 0; h->has_percentiles && i < 3; i++)
		tapir_json_number_member(j, percents[i], h->percentiles[i]);
	put_buckets(j, h);
}

bool tapir_records_histogram(struct tapir_records *r, const char *item, u32 bytes)
{
	struct tapir_item_histogram head;
	struct tapir_histogram h;
	int error;

	memcpy(&head, item, sizeof(head));
	r->left_out |= r->form == TAPIR_FORM_CSV;
	if (r->form != TAPIR_FORM_JSON || head.flags & TAPIR_HISTOGRAM_END)
		return true;
	tapir_records_end_text(r);
	error = tapir_histogram_read(&h, item, bytes);
	if (error)
		return error != -EINVAL;
	tapir_records_other(r, "hist", put_histogram, &h);
	tapir_histogram_free(&h);
	return true;
}

/* ---- messages ---- */

void tapir_records_message(struct tapir_records *r, const char *type, const char *text, size_t length)
{
	struct printed p = {text, length, NULL, NULL};

	tapir_records_other(r, type, put_printed, &p);
}

void tapir_records_free(struct tapir_records *r)
{
	struct tapir_known_table *t, *next;

	for (t = r->tables; t; t = next) {
		next = t->next;
		free(t);
	}
	tapir_json_free(&r->lines);
	tapir_json_free(&r->text);
	memset(r, 0, sizeof(*r));
}
