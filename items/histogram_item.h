/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms that were printed (struct tapir_item_histogram), for the loader and native runs. */
#ifndef TAPIR_HISTOGRAM_ITEM_H
#define TAPIR_HISTOGRAM_ITEM_H

#include <stdio.h>

#include <tapir/abi.h>
#include <tapir/items.h>

#include "hist_text.h"
#include "items/measures.h"

#define TAPIR_HISTOGRAM_TITLE_MAX 2048u /* bytes of name[keys] */

/* An item as it was read: what it says is checked. */
struct tapir_histogram {
	struct tapir_hist_desc shape;
	struct tapir_unit unit;
	char *unit_name;     /* a copy, with the subject behind it */
	const char *subject; /* of a sample: "a request"; "": it was not said */
	u64 *counts;	     /* of shape.buckets buckets */
	u32 first, last;     /* that have counts */
	tapir_wide total;    /* of all counts, more than 0 */
	u64 most;	     /* the largest */
	s64 sum, min, max;
	bool has_ends; /* min and max are known */
	bool is_text;  /* without a unit: the text is that of the language, in this style */
	struct tapir_hist_text style;
	bool has_percentiles;
	s64 percentiles[3]; /* 50, 90, 99 */
	const char *name;
	u32 nkeys;
	u32 strings; /* bit n: key n is a text */
	char keys[TAPIR_MAX_KEYS][TAPIR_HISTOGRAM_KEY_BYTES + 1];
};

/* Reads a whole item, which stays: the histogram refers to it. 0, -EINVAL: it is damaged, -ENOMEM. */
int tapir_histogram_read(struct tapir_histogram *h, const char *item, u32 bytes);
void tapir_histogram_free(struct tapir_histogram *h);

/*
 * The number that stands for a bucket: its low end, of negative ones of logarithmic histograms the end nearer to zero. `*sign`:
 * "<", it counts what is below; ">=", and what is beyond; or "".
 */
tapir_wide tapir_histogram_edge(const struct tapir_histogram *h, u32 bucket, const char **sign);

/*
 * The value that `percent` percent of the samples or more do not exceed, by the buckets. `*below`: all of these are smaller than
 * it, else they may be equal.
 */
tapir_wide tapir_histogram_bound(const struct tapir_histogram *h, u32 percent, bool *below);

/*
 * The least and the largest number that a bucket counts, within 64 bits.
 */
void tapir_histogram_range(const struct tapir_histogram *h, u32 bucket, s64 *least, s64 *largest);

/* name[1,"text"]; where the subject is known, "text, 1: SUBJECT". */
void tapir_histogram_title(const struct tapir_histogram *h, char title[TAPIR_HISTOGRAM_TITLE_MAX]);
/* Writes the label of a bucket's row: "4 KiB", "< 0", "≥ 30 ms". 2 * TAPIR_MEASURE_MAX bytes suffice. Returns its columns.
 */
u32 tapir_histogram_label(const struct tapir_histogram *h, const struct tapir_screen *screen, const struct tapir_unit *unit,
			  u32 bucket, char *text);
/* Writes the picture. False: no memory. */
bool tapir_histogram_draw(const struct tapir_histogram *h, const struct tapir_screen *screen, FILE *out);

/*
 * The picture of an item, or its text if it has no unit; to be freed. NULL: it is damaged, or there is no memory. Ends with an
 * empty line.
 */
char *tapir_histogram_text(const char *item, u32 bytes, const struct tapir_screen *screen, size_t *length);

#endif
