/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms as the language defines their text, for handlers (hist.c) and the loader (items/histogram_text.c). */
#ifndef TAPIR_HIST_TEXT_H
#define TAPIR_HIST_TEXT_H

#include <tapir/types.h>

struct tapir_hist_desc;
struct tapir_sink;
struct tapir_site;
struct tapir_stat_sum;

#define TAPIR_HIST_BAR_MAX   1000u /* columns of the bars: output is bounded even if HIST_WIDTH is larger */
#define TAPIR_HIST_BAR_USUAL 50u

struct tapir_hist_text {
	const struct tapir_hist_desc *hist;
	const u64 *buckets; /* as many as it has, not all of them 0 */
	u32 bar;	    /* columns of the bars, TAPIR_HIST_BAR_MAX at most */
	s32 elision;	    /* HIST_ELISION */
	bool units;	    /* HIST_UNITS */
	/* tapir_hist_text_lay_out() sets these: */
	u32 first, last;   /* rows shown, elision aside */
	u32 label, digits; /* widths of the value column and of the largest count */
	u64 scale;	   /* counts per mark */
};

/* Any context; time in proportion to the buckets. */
void tapir_hist_text_lay_out(struct tapir_hist_text *t);
/* The most bytes that tapir_hist_text_put() puts. */
u32 tapir_hist_text_most(const struct tapir_hist_text *t);
void tapir_hist_text_put(const struct tapir_hist_text *t, struct tapir_sink *k);

/* ---- handlers alone ---- */

/* Sets what the module's HIST_WIDTH, HIST_ELISION and HIST_UNITS say. */
void tapir_hist_style(struct tapir_hist_text *t);
/* Puts the text. False with an error at `site`: nothing was counted, or the handler's time is over. */
bool tapir_hist_put(struct tapir_sink *k, const struct tapir_stat_sum *s, const struct tapir_site *site);

#endif
