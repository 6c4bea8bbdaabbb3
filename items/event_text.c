// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "items/event_text.h"
#include "items/table_head.h"

#define SECOND 1000000000ll

/* Does the format have these arguments in front, with nothing between them? */
static bool begins_with(const struct tapir_item_format *f, u32 count, u32 strings)
{
	u32 i;

	if (f->npieces <= count || (f->strings & ((1u << count) - 1)) != strings)
		return false;
	for (i = 1; i <= count && f->pieces[i].conv != TAPIR_CONV_LITERAL; i++)
		;
	return i > count;
}

bool tapir_event_read(struct tapir_event *event, const struct tapir_item_format *f, const char *item)
{
	const struct tapir_fmt *literal = f->pieces;
	const char *at = item + sizeof(u16);
	struct tapir_cell cells[TAPIR_TRIGGER_ARGS];
	bool is_trigger;
	u32 count, i;

	if (!f->npieces || literal->conv != TAPIR_CONV_LITERAL || !(literal->flags & (TAPIR_FMT_TRIGGER | TAPIR_FMT_RECALL)))
		return false;
	is_trigger = literal->flags & TAPIR_FMT_TRIGGER;
	count = is_trigger ? TAPIR_TRIGGER_ARGS : TAPIR_RECALL_ARGS;
	if (!begins_with(f, count, is_trigger ? 1 : 0) || !memchr(literal->literal, 0, literal->literal_len))
		return false;
	for (i = 0; i < count; i++)
		cells[i] = tapir_cell_take(f, i, &at);
	memset(event, 0, sizeof(*event));
	event->kind = is_trigger ? TAPIR_EVENT_TRIGGER : TAPIR_EVENT_RECALLED;
	event->name = literal->literal;
	event->thread = cells[2].number;
	if (is_trigger) {
		event->program = cells[0].text;
		event->process = cells[1].number;
		event->wall_ns = cells[3].number;
		event->suppressed = cells[4].number;
	} else {
		event->time = cells[0].number;
		event->age = cells[1].number;
		event->cpu = cells[3].number;
	}
	event->piece = 1 + count;
	event->is_bare = f->npieces == event->piece;
	event->argument = count;
	event->at = at;
	return true;
}

u32 tapir_event_front(const struct tapir_event *event, char *text)
{
	char clock[32] = "";
	struct tm local;
	time_t seconds;
	int length;

	if (event->kind == TAPIR_EVENT_RECALLED) {
		char age[48];

		snprintf(age, sizeof(age), "-%lld.%06lld", (long long)(event->age / SECOND),
			 (long long)(event->age % SECOND / 1000));
		length = snprintf(text, TAPIR_EVENT_FRAME, "%16s s  %.64s, %s%lld: ", age, event->name,
				  event->thread < 0 ? "CPU " : "", (long long)(event->thread < 0 ? event->cpu : event->thread));
		return (u32)length;
	}
	seconds = (time_t)(event->wall_ns / SECOND);
	if (localtime_r(&seconds, &local))
		strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	length = snprintf(text, TAPIR_EVENT_FRAME, "TRIGGER %.64s %s.%06lld %.32s(%lld, %lld)", event->name, clock,
			  (long long)(event->wall_ns % SECOND / 1000), event->program, (long long)event->process,
			  (long long)event->thread);
	if (!event->is_bare)
		length += snprintf(text + length, TAPIR_EVENT_FRAME - (u32)length, ": ");
	return (u32)length;
}

u32 tapir_event_back(const struct tapir_event *event, char *text)
{
	if (!event->suppressed)
		return (u32)snprintf(text, TAPIR_EVENT_FRAME, "\n");
	return (u32)snprintf(text, TAPIR_EVENT_FRAME, " (%lld held back by the limit)\n", (long long)event->suppressed);
}
