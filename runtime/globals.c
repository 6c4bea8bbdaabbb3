// SPDX-License-Identifier: GPL-2.0-or-later
/* The globals of a script as data: their storage, and name=value at load time. */
#include <tapir/tapir.h>
#include "map_internal.h"
#include "map_shape.h"

static u32 entries_of(const struct tapir_global *g, u32 max_entries)
{
	if (g->map->max_entries)
		return g->map->max_entries;
	if (max_entries)
		return max_entries;
	return g->map->wrap ? TAPIR_DEFAULT_WRAPENTRIES : TAPIR_DEFAULT_MAXMAPENTRIES;
}

static bool create(struct tapir_ctx *c, const struct tapir_global *g, u32 max_entries)
{
	char reason[128];

	if (g->stat && !tapir_stat_check(g->stat, reason, sizeof(reason))) {
		tapir_warn(c, reason);
		tapir_errorf(c, NULL, "global '%s': %s", g->name, reason);
		return false;
	}
	if (g->kind == TAPIR_GLOBAL_STAT) {
		struct tapir_stat_slot **storage = g->storage;

		*storage = tapir_stat_create(g->stat, tapir_port_ncpus());
		if (*storage)
			return true;
	} else if (g->kind == TAPIR_GLOBAL_MAP) {
		struct tapir_map **storage = g->storage;

		max_entries = entries_of(g, max_entries);
		tapir_arrays.bytes += tapir_map_bytes(g, max_entries, tapir_port_ncpus(), tapir_module.string_cap);
		*storage = tapir_map_create(g, max_entries, tapir_port_ncpus(), tapir_module.string_cap);
		if (*storage)
			return true;
	} else {
		return true;
	}
	tapir_errorf(c, NULL, "not enough memory for global '%s'", g->name);
	return false;
}

bool tapir_settings_apply(struct tapir_ctx *c)
{
	u32 i;

	for (i = 0; i < tapir_module.nsettings; i++) {
		const struct tapir_setting *s = &tapir_module.settings[i];
		s64 value = *s->global;
		u64 number;

		if (value < s->least || value > s->most) {
			tapir_errorf(c, NULL, "%s is %lld, which is not between %lld and %lld", s->name, value, s->least, s->most);
			return false;
		}
		number = s->dividend ? s->dividend / (u64)value : s->times * (u64)value;
		if (s->number)
			*s->number = number;
		else
			*s->entries = (u32)number;
	}
	return true;
}

void tapir_globals_demand(struct tapir_demand *demand, u32 max_entries)
{
	u32 i;

	for (i = 0; i < tapir_module.nglobals; i++) {
		const struct tapir_global *g = &tapir_module.globals[i];

		if (g->kind == TAPIR_GLOBAL_STAT)
			tapir_demand_add(demand, tapir_stat_bytes(g->stat, tapir_port_ncpus()), "the statistic ", g->name,
					 "use narrower histograms");
		else if (g->kind == TAPIR_GLOBAL_MAP)
			tapir_demand_add(
			    demand, tapir_map_bytes(g, entries_of(g, max_entries), tapir_port_ncpus(), tapir_module.string_cap),
			    "the array ", g->name,
			    "give it fewer elements (global NAME[N], or MAXMAPENTRIES), or shorter strings (MAXSTRINGLEN)");
	}
	if (tapir_module.nrecalls)
		tapir_recalls_demand(demand);
}

static void destroy(const struct tapir_global *g)
{
	if (g->kind == TAPIR_GLOBAL_STAT) {
		struct tapir_stat_slot **storage = g->storage;

		tapir_stat_destroy(*storage);
		*storage = NULL;
	} else if (g->kind == TAPIR_GLOBAL_MAP) {
		struct tapir_map **storage = g->storage;

		tapir_map_destroy(*storage);
		*storage = NULL;
	}
}

bool tapir_globals_create(struct tapir_ctx *c, u32 max_entries)
{
	u32 i;

	tapir_arrays.bytes = 0;
	for (i = 0; i < tapir_module.nglobals; i++) {
		if (!create(c, &tapir_module.globals[i], max_entries))
			break;
	}
	if (i == tapir_module.nglobals && (!tapir_module.nrecalls || tapir_recalls_create(c)))
		return true;
	while (i-- > 0)
		destroy(&tapir_module.globals[i]);
	return false;
}

void tapir_globals_destroy(void)
{
	u32 i;

	if (tapir_module.nrecalls)
		tapir_recalls_destroy();
	for (i = tapir_module.nglobals; i-- > 0;)
		destroy(&tapir_module.globals[i]);
}

static u32 digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return (u32)(ch - '0');
	if (ch >= 'a' && ch <= 'f')
		return (u32)(ch - 'a' + 10);
	if (ch >= 'A' && ch <= 'F')
		return (u32)(ch - 'A' + 10);
	return 255;
}

bool tapir_parse_long(const char *text, s64 *value)
{
	bool negative = *text == '-';
	u32 base = 10;
	u64 n = 0;

	if (negative)
		text++;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	} else if (text[0] == '0' && text[1]) {
		base = 8;
		text++;
	}
	if (!*text)
		return false;
	for (; *text; text++) {
		if (digit(*text) >= base || __builtin_mul_overflow(n, (u64)base, &n) ||
		    __builtin_add_overflow(n, (u64)digit(*text), &n))
			return false;
	}
	if (negative && n > 1ull << 63)
		return false;
	*value = (s64)(negative ? 0 - n : n);
	return true;
}

static const struct tapir_global *find(const char *name)
{
	u32 i;

	for (i = 0; i < tapir_module.nglobals; i++) {
		const struct tapir_global *g = &tapir_module.globals[i];

		if (g->settable && !tapir_str_compare(g->name, name, TAPIR_NAME_MAX + 1))
			return g;
	}
	return NULL;
}

int tapir_global_set(const char *name, const char *value)
{
	const struct tapir_global *g = find(name);

	if (!g)
		return -2;
	if (g->kind == TAPIR_GLOBAL_STRING) {
		tapir_str_copy(g->storage, value, tapir_module.string_cap);
		return 0;
	}
	return g->kind == TAPIR_GLOBAL_LONG && tapir_parse_long(value, g->storage) ? 0 : -22;
}

static bool is_choice(const char *choices, const char *value)
{
	const char *at = choices;
	u32 i;

	for (;; at++) {
		for (i = 0; value[i] && value[i] != '|' && at[i] == value[i]; i++)
			;
		if (!value[i] && (!at[i] || at[i] == '|'))
			return true;
		while (*at && *at != '|')
			at++;
		if (!*at)
			return false;
	}
}

int tapir_global_change(const char *name, const char *value)
{
	const struct tapir_global *g = find(name);
	s64 number = 0;
	u64 state;

	if (!g)
		return -2;
	if (!g->live)
		return -16;
	if (g->kind == TAPIR_GLOBAL_LONG && !tapir_parse_long(value, &number))
		return -22;
	if (g->kind == TAPIR_GLOBAL_LONG ? number < g->live->least || number > g->live->most
					 : g->live->choices && !is_choice(g->live->choices, value))
		return -34;
	/* Probes that this hits find the CPU's context busy, as within handlers. */
	state = tapir_port_tending_begin();
	tapir_port_lock(g->lock);
	if (g->kind == TAPIR_GLOBAL_LONG)
		__atomic_store_n((s64 *)g->storage, number, __ATOMIC_RELAXED);
	else
		tapir_str_copy(g->storage, value, tapir_module.string_cap);
	tapir_port_unlock(g->lock);
	tapir_port_tending_end(state);
	tapir_port_condition_changed();
	return 0;
}
