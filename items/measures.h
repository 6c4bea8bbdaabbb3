/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output for people: numbers with units, names that fit, and the screen for which they are made. */
#ifndef TAPIR_MEASURES_H
#define TAPIR_MEASURES_H

#include <tapir/types.h>

#define TAPIR_SCREEN_USUAL 100u /* columns, where there is no terminal */
#define TAPIR_SCREEN_LEAST 20u
#define TAPIR_SCREEN_MOST  1000u

struct tapir_screen {
	u32 width; /* columns, TAPIR_SCREEN_LEAST to TAPIR_SCREEN_MOST */
	bool terminal;
	bool utf8; /* by LC_ALL, LC_CTYPE or LANG */
};

/*
 * Looks at a descriptor as it is now. The width is the terminal's, else $COLUMNS, else TAPIR_SCREEN_USUAL. With
 * TAPIR_OUTPUT=terminal a descriptor that is no regular file counts as a terminal: what reads it shows it on one.
 */
void tapir_screen_read(struct tapir_screen *screen, int fd);

__extension__ typedef __int128 tapir_wide;

#define TAPIR_MEASURE_MAX 128u /* bytes of the text of a number with its unit, and the NUL */

enum tapir_unit_kind { TAPIR_UNIT_PLAIN, TAPIR_UNIT_TIME, TAPIR_UNIT_BYTES, TAPIR_UNIT_DECIMAL };

struct tapir_unit {
	enum tapir_unit_kind kind;
	u64 factor;	  /* TIME: ns; DECIMAL: so many are 1 */
	const char *text; /* PLAIN and DECIMAL: stands behind the number; may be "" */
};

/*
 * Knows "ns", "us", "µs", "ms", "s", "bytes" and "B", and fractions of others: "0.1 %", "0.01", "0.001 pages". Any other unit is
 * plain. The result refers to `name`.
 */
struct tapir_unit tapir_unit_of(const char *name);

/*
 * Three digits and a unit that fits: "16.4 µs", "4 KiB". A number that is exact has no zeros at its end, one that is rounded has
 * all three digits. Plain numbers have up to six, those of fractions all digits: "51.2 %". These return the length.
 */
u32 tapir_measure(char *text, const struct tapir_screen *screen, const struct tapir_unit *unit, tapir_wide value);
/* "1,234,567", and three digits of it: "1.23M". */
u32 tapir_count_whole(char *text, u64 count);
u32 tapir_count_brief(char *text, u64 count);

#define TAPIR_BAR_MAX (TAPIR_SCREEN_MOST * 3 + 1) /* bytes of the text of a bar, and the NUL */

/*
 * A bar for `part` of `whole`, which takes `columns`, TAPIR_SCREEN_MOST at most: in eighths of a column, else in "@". Any part
 * above 0 has one mark at least. Returns the columns that it takes.
 */
u32 tapir_bar(char *text, bool utf8, u32 columns, u64 part, u64 whole);

/* How many columns a text takes: one for each character. */
u32 tapir_columns(const char *text);
/* Copies at most `columns` of it, the middle cut out if there are more, and what is no character replaced; `room` bytes suffice. */
void tapir_fit(char *to, u32 room, const struct tapir_screen *screen, const char *text, u32 columns);

#endif
