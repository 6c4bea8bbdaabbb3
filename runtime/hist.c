// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of histograms, their buckets, and their text where a handler needs it. */
#include <tapir/tapir.h>
#include "format_internal.h"
#include "handler.h"
#include "hist_text.h"

static bool check_linear(const struct tapir_hist_desc *hist, char *reason, u32 cap)
{
	if (hist->width <= 0) {
		tapir_format(reason, cap, "histogram: Width of buckets must be positive, not %lld", (long long)hist->width);
		return false;
	}
	if (hist->high < hist->low) {
		tapir_format(reason, cap, "histogram: High limit %lld is below low limit %lld", (long long)hist->high,
			     (long long)hist->low);
		return false;
	}
	if (((u64)hist->high - (u64)hist->low) / (u64)hist->width > TAPIR_HIST_MAX_BUCKETS - TAPIR_HIST_MIN_BUCKETS) {
		tapir_format(reason, cap,
			     "histogram: Number of buckets must be between %u and %u, (high - low) / width + 3 is larger",
			     TAPIR_HIST_MIN_BUCKETS, TAPIR_HIST_MAX_BUCKETS);
		return false;
	}
	return true;
}

bool tapir_stat_check(const struct tapir_stat_desc *desc, char *reason, u32 cap)
{
	u32 i;

	for (i = 0; i < desc->nhists; i++) {
		if (desc->hists[i].type == TAPIR_HIST_LINEAR && !check_linear(&desc->hists[i], reason, cap))
			return false;
	}
	return true;
}

s64 tapir_hist_get(struct tapir_ctx *c, const struct tapir_stat_sum *s, s64 index, const struct tapir_site *site)
{
	if (s->count == 0) {
		tapir_error(c, site, "empty aggregate");
		return 0;
	}
	if (index < 0 || index >= s->hist->buckets) {
		tapir_error(c, site, "histogram index out of range");
		return 0;
	}
	return (s64)s->buckets[index];
}

/* ---- text ---- */

void tapir_hist_style(struct tapir_hist_text *t)
{
	t->bar = tapir_module.hist_width ? tapir_module.hist_width : TAPIR_HIST_BAR_USUAL;
	if (t->bar > TAPIR_HIST_BAR_MAX)
		t->bar = TAPIR_HIST_BAR_MAX;
	t->elision = tapir_module.hist_elision;
	t->units = tapir_module.hist_units;
}

static bool counts_nothing(const struct tapir_stat_sum *s)
{
	u64 any = 0;
	u32 i;

	for (i = 0; i < s->hist->buckets; i++)
		any |= s->buckets[i];
	return s->count == 0 || !any;
}

bool tapir_hist_put(struct tapir_sink *k, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	struct tapir_hist_text t = {.hist = s->hist, .buckets = s->buckets};

	if (counts_nothing(s)) {
		tapir_error(k->c, site, "empty aggregate");
		return false;
	}
	tapir_hist_style(&t);
	tapir_work_add(k->c, s->hist->buckets * (u64)TAPIR_WORK_READ);
	tapir_hist_text_lay_out(&t);
	if (!tapir_work(k->c, (t.last - t.first + 1) * (u64)TAPIR_WORK_ROW)) {
		tapir_error_site(k->c, site);
		return false;
	}
	tapir_hist_text_put(&t, k);
	return true;
}

void tapir_hist_sprint(struct tapir_ctx *c, char *dst, const struct tapir_stat_sum *s, bool newline, const struct tapir_site *site)
{
	struct tapir_sink k = {.c = c, .dst = dst, .limit = tapir_module.string_cap - 1};

	if (tapir_hist_put(&k, s, site) && newline)
		tapir_sink_put(&k, "\n", 1);
	dst[k.length] = 0;
}
