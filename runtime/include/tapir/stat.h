/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics: one slot per CPU, updated without locks by single read-modify-write instructions (safe against interrupts and NMIs
 * of the same CPU; other CPUs never write the slot), merged when read.
 */
#ifndef TAPIR_STAT_H
#define TAPIR_STAT_H

#include <tapir/abi.h>
#include <tapir/context.h>
#include <tapir/stat_slot.h>

struct tapir_sketch;

/* Merged over CPUs. */
struct tapir_stat_sum {
	s64 count, sum, min, max;
	s64 variance;
	u64 moments[TAPIR_MOMENT_WORDS]; /* of the variance */
	const struct tapir_stat_desc *desc;
	const struct tapir_sketch *sketch; /* of @percentile; NULL: none, or an array has no such element */
	u32 entry;			   /* of it */
	u64 lost; /* samples the variance does not contain: an NMI handler interrupted another sample of the same CPU */
	const struct tapir_hist_desc *hist; /* the one whose counts were merged, or NULL */
	u64 *buckets;			    /* its counts */
};

/* `<<<` on a scalar is tapir_stat_add(slots, desc, cpu, value) in stat_slot.h. */
void tapir_stat_read(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, struct tapir_stat_sum *out);
/* The estimated time of tapir_stat_read(), in ns, with so many counts of a histogram; and that of clearing (tapir/work.h). */
u64 tapir_merge_work(const struct tapir_stat_desc *desc, u32 buckets);
u64 tapir_clear_work(const struct tapir_stat_desc *desc);
/* With the counts of one of its histograms, in `buckets`: as many as it has. */
void tapir_stat_read_hist(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc,
			  const struct tapir_hist_desc *hist, u64 *buckets, struct tapir_stat_sum *out);
void tapir_stat_clear(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc); /* delete s; under the lock */

/* Extractors; @min, @max, @avg, @variance, @percentile of nothing raise "empty aggregate" at `site`; @count and @sum give 0. */
s64 tapir_stat_min(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site);
s64 tapir_stat_max(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site);
s64 tapir_stat_avg(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site);
s64 tapir_stat_variance(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site);
/*
 * The smallest sample that at least `part` of `whole` samples do not exceed, with a relative error below 1 %; exact where `part` is
 * 0 or `whole`. `whole` is 1 to TAPIR_PERCENTILE_WHOLE, `part` 0 to `whole`. Right after `s` was read.
 */
#define TAPIR_PERCENTILE_WHOLE 1000000000
s64 tapir_stat_percentile(struct tapir_ctx *c, const struct tapir_stat_sum *s, s64 part, s64 whole, const struct tapir_site *site);

/* Histograms. The first bucket of linear and log-linear ones is what is below, the last what is beyond. */
u32 tapir_hist_index(const struct tapir_hist_desc *hist, s64 value);
s64 tapir_hist_low(const struct tapir_hist_desc *hist, u32 bucket); /* lower edge */
/* @hist(s)[i]: "histogram index out of range" or "empty aggregate" at `site`. */
s64 tapir_hist_get(struct tapir_ctx *c, const struct tapir_stat_sum *s, s64 index, const struct tapir_site *site);
/* Names the histogram that is printed, and its element, whose keys come with it. */
struct tapir_hist_title {
	const char *unit, *name; /* TAPIR_HISTOGRAM_UNIT_BYTES, TAPIR_HISTOGRAM_NAME_BYTES at most */
	u32 nkeys;
	u32 strings; /* bit n: key n is a text */
	u8 is_row;   /* of a table; then nothing is shown where there are no samples */
};
union tapir_val;
/* print(@hist_*(s)): an item of which the loader makes the documented layout; "empty aggregate" at `site`. */
void tapir_hist_print(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_hist_title *title,
		      const union tapir_val *keys, const struct tapir_site *site);
/* print(@hist_*(s, UNIT)): an item of which the loader makes the picture; "empty aggregate" at `site`. */
void tapir_hist_show(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_hist_title *title,
		     const union tapir_val *keys, const struct tapir_site *site);
/* print(@hist_*(array, UNIT)): what is shown between them is one table, which the loader draws at its end. */
void tapir_hist_table_begin(struct tapir_ctx *c);
void tapir_hist_table_end(struct tapir_ctx *c);
/* The documented layout as a string of at most string_cap - 1 bytes, with a newline after it for sprintln(). */
void tapir_hist_sprint(struct tapir_ctx *c, char *dst, const struct tapir_stat_sum *s, bool newline, const struct tapir_site *site);

#endif
