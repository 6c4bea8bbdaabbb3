/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats, and the items that records of type TAPIR_REC_PRINT consist of. An item is the number of a format and the values that
 * were printed by it; the loader makes the text. Used by the module, by the loader and by native runs.
 *
 * Items follow each other without alignment. Each begins with a u16:
 *   TAPIR_ITEM_TEXT: a u16 follows, and so many bytes of text;
 *   TAPIR_ITEM_FRAMES: struct tapir_item_frames, of a stack that the loader asks the module for;
 *   TAPIR_ITEM_HISTOGRAM: struct tapir_item_histogram, of which the loader draws a picture, or makes the text;
 *   any other: the number of a format. Its arguments follow: numbers in 8 bytes, strings with the NUL that ends them.
 */
#ifndef TAPIR_ITEMS_H
#define TAPIR_ITEMS_H

#include <tapir/types.h>

enum tapir_conv {
	TAPIR_CONV_LITERAL,
	TAPIR_CONV_DECIMAL,
	TAPIR_CONV_UNSIGNED,
	TAPIR_CONV_HEX,
	TAPIR_CONV_HEX_UPPER,
	TAPIR_CONV_OCTAL,
	TAPIR_CONV_POINTER,
	TAPIR_CONV_STRING,
	TAPIR_CONV_CHAR,
	TAPIR_CONV_BINARY,
	TAPIR_CONV_MEMORY,
	TAPIR_CONV_MEMORY_HEX,
};
#define TAPIR_FMT_ZERO		(1u << 0)
#define TAPIR_FMT_PLUS		(1u << 1)
#define TAPIR_FMT_LEFT		(1u << 2)
#define TAPIR_FMT_SPACE		(1u << 3)
#define TAPIR_FMT_ALTERNATE	(1u << 4)
#define TAPIR_FMT_WIDTH_ARG	(1u << 5) /* the width is the next argument (before a precision, before the value) */
#define TAPIR_FMT_PRECISION_ARG (1u << 6)
#define TAPIR_FMT_ROW		(1u << 7) /* LITERAL: begins a line of a global that is printed at the end */
/*
 * LITERAL, the first piece: the format is that of a row of a table (@row), and this is no text. It has the table's name and of each
 * column, which is an argument, the name, the unit and the subject, each with a NUL behind it. The other pieces are %d and %s.
 */
#define TAPIR_FMT_TABLE (1u << 0)
/*
 * The name of a table begins with this where its rows stand around the values of a metric (@metric), with columns that have 0. The
 * row in front has the metric's name and help (as subject), its kind and unit (as subject), the shape of its histogram, and labels.
 */
#define TAPIR_METRIC_ROW '\x01'
/*
 * Likewise: the format is that of a trigger, or of an event of @recall, whose name the literal is, with a NUL. Arguments that each
 * line has stand in front of those that the script prints: of a trigger the name of the program (%s), process, thread, the
 * wall clock in ns, and how many firings the limit held back; of an event its time (CLOCK_MONOTONIC), its age in ns, thread (-1:
 * none) and CPU (%d).
 */
#define TAPIR_FMT_TRIGGER   (1u << 1)
#define TAPIR_FMT_RECALL    (1u << 2)
#define TAPIR_TRIGGER_ARGS  5u
#define TAPIR_RECALL_ARGS   4u
#define TAPIR_RECALL_VALUES 3u	  /* numbers that the script gives for an event */
#define TAPIR_RECALL_MOST   1024u /* events of a ring */
#define TAPIR_TRIGGERS	    64u	  /* of a script */
#define TAPIR_EVENT_SPREAD  256u  /* bytes of the line that are not of the script's text, at most */
#define TAPIR_FMT_UNSET	    (-1)

struct tapir_fmt {
	u8 conv; /* enum tapir_conv */
	u8 flags;
	s32 width, precision; /* TAPIR_FMT_UNSET when absent */
	const char *literal;  /* LITERAL: bytes, may contain NUL */
	u32 literal_len;
};

/*
 * A format whose text the loader makes. It has no conversion of memory and no width or precision from an argument, at most
 * TAPIR_ITEM_ARGS arguments, and its text has at most TAPIR_ITEM_SPREAD bytes besides those of the strings.
 */
struct tapir_item_format {
	const struct tapir_fmt *pieces;
	u16 npieces;
	u16 number; /* its index in tapir_module.formats; below TAPIR_ITEM_FORMATS */
	u8 nargs;
	u8 ends_line; /* the text ends with a newline, or is a row of a table */
	u32 strings;  /* bit n: argument n is a string */
};

#define TAPIR_ITEM_TEXT	      0xffffu
#define TAPIR_ITEM_TEXT_BYTES 4u /* in front of the text */
#define TAPIR_ITEM_FRAMES     0xfffeu
#define TAPIR_ITEM_HISTOGRAM  0xfffdu
#define TAPIR_ITEM_FORMATS    0xfff0u /* the numbers of formats are below */
#define TAPIR_ITEM_ARGS	      32u
#define TAPIR_ITEM_SPREAD     1024u
#define TAPIR_ITEM_DIGITS     32u /* the most that a number without width and precision takes, with room to spare */

/* The lines of a user stack from a frame on, for which a table was missing. Each line ends with a newline. */
enum tapir_frames_form {
	TAPIR_FRAMES_LINES,   /* as print_ubacktrace() */
	TAPIR_FRAMES_BRIEF,   /* as print_ubacktrace_brief() */
	TAPIR_FRAMES_SOURCES, /* as print_ubacktrace_fileline() */
	TAPIR_FRAMES_FORMS
};

struct tapir_item_frames {
	u16 item; /* TAPIR_ITEM_FRAMES */
	u16 form; /* enum tapir_frames_form */
	u32 id;	  /* which stack it is: see struct tapir_ioc_frames */
	u64 address;
};

/*
 * A histogram that was printed. Behind it: the unit and the name of the statistic, each with its NUL; the element's
 * keys, each a u8 of enum tapir_type and its 8 bytes or its text with a NUL; and a pair for each bucket that has counts, ascending:
 * how many buckets are left out in front of it, and its count, as numbers of 7 bits a byte, low ones first, all bytes but the last
 * with bit 7 set.
 */
struct tapir_item_histogram {
	u16 item;  /* TAPIR_ITEM_HISTOGRAM */
	u16 bytes; /* all of it */
	u8 type;   /* enum tapir_hist_type */
	u8 flags;  /* TAPIR_HISTOGRAM_* */
	u8 nkeys;
	u8 reserved;
	u32 buckets; /* that the histogram has */
	u32 pairs;
	u64 table;	      /* that it is a row of; 0: none */
	s64 low, high, width; /* as in struct tapir_hist_desc */
	s64 sum, min, max;    /* the latter two with TAPIR_HISTOGRAM_ENDS */
	s64 percentiles[3];   /* with TAPIR_HISTOGRAM_PERCENTILES: 50, 90, 99 */
	u32 bar;	      /* with TAPIR_HISTOGRAM_TEXT: columns of the bars, and HIST_ELISION */
	s32 elision;
};
/* The number of a row's cell that is not known (no_value()): "-" in text, null in JSON, empty in CSV. */
#define TAPIR_NO_VALUE		    (-0x7fffffffffffffffLL - 1)
#define TAPIR_HISTOGRAM_PERCENTILES (1u << 0)
#define TAPIR_HISTOGRAM_END	    (1u << 1) /* no histogram: the end of the table */
#define TAPIR_HISTOGRAM_TEXT	    (1u << 2) /* without a unit: its text is that of the language */
#define TAPIR_HISTOGRAM_RANGES	    (1u << 3) /* with it: HIST_UNITS */
#define TAPIR_HISTOGRAM_ENDS	    (1u << 4)
#define TAPIR_HISTOGRAM_KEY_BYTES   120u /* of a text that is a key; longer ones are cut */
#define TAPIR_HISTOGRAM_UNIT_BYTES  256u /* of "UNIT" or "UNIT of SUBJECT", with the NUL; UNIT may be "" */
#define TAPIR_HISTOGRAM_NAME_BYTES  256u

/*
 * Bytes of the item at `item`, of which `room` are there: more than 0; 0 if that is no item by the `nformats` formats, whose
 * numbers are their indices. Any context; time in proportion to the bytes.
 */
u32 tapir_item_bytes(const struct tapir_item_format *formats, u32 nformats, const char *item, u32 room);

/* Bytes of the description of a format: see struct tapir_ioc_format. */
u32 tapir_format_bytes(const struct tapir_item_format *f);
/* Writes them. Any context. */
void tapir_format_describe(const struct tapir_item_format *f, char *dst);

#endif
