// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "items/measures.h"

static bool speaks_utf8(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	u32 i;

	for (i = 0; i < 3; i++) {
		const char *locale = getenv(variables[i]);
		const char *set = locale ? strchr(locale, '.') : NULL;

		if (locale && *locale)
			return set && (strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0);
	}
	return false;
}

/* A pipe whose other end shows on a terminal what it reads: of guests and of other hosts. */
static bool leads_to_terminal(int fd)
{
	const char *output = getenv("TAPIR_OUTPUT");
	struct stat about;

	return output && strcmp(output, "terminal") == 0 && fstat(fd, &about) == 0 && !S_ISREG(about.st_mode);
}

static u32 columns_of(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = {0};

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? (u32)atoi(columns) : TAPIR_SCREEN_USUAL;
}

void tapir_screen_read(struct tapir_screen *screen, int fd)
{
	const u32 columns = columns_of(fd);

	screen->terminal = isatty(fd) || leads_to_terminal(fd);
	screen->utf8 = speaks_utf8();
	screen->width = columns < TAPIR_SCREEN_LEAST  ? TAPIR_SCREEN_LEAST
			: columns > TAPIR_SCREEN_MOST ? TAPIR_SCREEN_MOST
						      : columns;
}

/* The unit behind "0.1 ", "0.01 " or "0.001 ", and in *factor 10, 100 or 1000. NULL: it is no fraction. */
static const char *behind_fraction(const char *name, u64 *factor)
{
	const char *at;

	if (strncmp(name, "0.", 2) != 0)
		return NULL;
	at = name + 2;
	for (*factor = 10; *at == '0' && *factor < 1000; at++)
		*factor *= 10;
	if (*at++ != '1' || (*at && *at != ' '))
		return NULL;
	return *at ? at + 1 : at;
}

struct tapir_unit tapir_unit_of(const char *name)
{
	static const struct {
		const char *name;
		enum tapir_unit_kind kind;
		u64 factor;
	} known[] = {
	    {"ns", TAPIR_UNIT_TIME, 1},	      {"us", TAPIR_UNIT_TIME, 1000},	  {"µs", TAPIR_UNIT_TIME, 1000},
	    {"ms", TAPIR_UNIT_TIME, 1000000}, {"s", TAPIR_UNIT_TIME, 1000000000}, {"bytes", TAPIR_UNIT_BYTES, 1},
	    {"B", TAPIR_UNIT_BYTES, 1},
	};
	struct tapir_unit unit = {TAPIR_UNIT_PLAIN, 1, name};
	u64 fraction;
	const char *behind = behind_fraction(name, &fraction);
	size_t i;

	if (behind)
		return (struct tapir_unit){TAPIR_UNIT_DECIMAL, fraction, behind};
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(name, known[i].name) == 0) {
			unit.kind = known[i].kind;
			unit.factor = known[i].factor;
		}
	}
	return unit;
}

/* A step of a scale: so many of the smallest unit. */
struct step {
	u64 size;
	const char *name;
};

static const struct step times[] = {{1, "ns"}, {1000, "µs"}, {1000000, "ms"}, {1000000000, "s"}};
static const struct step sizes[] = {
    {1, "B"},		{1ull << 10, "KiB"}, {1ull << 20, "MiB"}, {1ull << 30, "GiB"}, {1ull << 40, "TiB"}, {1ull << 50, "PiB"},
    {1ull << 60, "EiB"}};
static const struct step thousands[] = {{1, ""},
					{1000, "k"},
					{1000000, "M"},
					{1000000000, "G"},
					{1000000000000, "T"},
					{1000000000000000, "P"},
					{1000000000000000000, "E"}};

/* value / size, rounded, with three digits. False: that makes `most`, so the next step is the better one. */
static bool three_digits(char *text, tapir_wide value, u64 size, u64 most)
{
	tapir_wide whole = value / size, part = 0;
	u32 scale = whole >= 100 || size == 1 ? 1 : whole >= 10 ? 10 : 100;

	for (;; scale /= 10) {
		part = (value * scale + size / 2) / size;
		if (scale == 1 || part < 1000)
			break;
	}
	if (part >= (tapir_wide)most)
		return false;
	if (value * scale % size == 0) {
		while (scale > 1 && part % 10 == 0) {
			part /= 10;
			scale /= 10;
		}
	}
	if (scale == 1)
		snprintf(text, TAPIR_MEASURE_MAX, "%llu", (unsigned long long)part);
	else
		snprintf(text, TAPIR_MEASURE_MAX, "%llu.%0*llu", (unsigned long long)(part / scale), scale == 10 ? 1 : 2,
			 (unsigned long long)(part % scale));
	return true;
}

/* Beyond the last step: 9.22e18. */
static void power_of_ten(char *text, tapir_wide value)
{
	u32 exponent = 2;

	for (; value >= 1000; value = value / 10 + (value < 10000 && value % 10 >= 5))
		exponent++;
	snprintf(text, TAPIR_MEASURE_MAX, "%u.%02ue%u", (u32)value / 100, (u32)value % 100, exponent);
}

static void on_scale(char *text, const struct step *steps, u32 count, u64 base, tapir_wide value, const char **name)
{
	u32 i;

	for (i = 0; i + 1 < count && value >= steps[i + 1].size;)
		i++;
	for (; i < count; i++) {
		*name = steps[i].name;
		if (three_digits(text, value, steps[i].size, i + 1 < count ? base : 1000000))
			return;
	}
	power_of_ten(text, value / steps[count - 1].size);
}

u32 tapir_count_whole(char *text, u64 count)
{
	char digits[32];
	u32 length = (u32)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count), i, n = 0;

	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[n++] = ',';
		text[n++] = digits[i];
	}
	text[n] = 0;
	return n;
}

static void put_brief(char *text, tapir_wide count)
{
	const char *name = "";

	on_scale(text, thousands, 7, 1000, count, &name);
	strcat(text, name);
}

u32 tapir_count_brief(char *text, u64 count)
{
	put_brief(text, count);
	return (u32)strlen(text);
}

static void measure_plain(char *text, const struct tapir_unit *unit, tapir_wide size)
{
	if (size < 1000000)
		tapir_count_whole(text, (u64)size);
	else
		put_brief(text, size);
	if (*unit->text)
		snprintf(text + strlen(text), TAPIR_MEASURE_MAX - 40, " %s", unit->text);
}

static void measure_decimal(char *text, const struct tapir_unit *unit, tapir_wide size)
{
	const int digits = unit->factor == 10 ? 1 : unit->factor == 100 ? 2 : 3;
	const u32 length = tapir_count_whole(text, (u64)(size / unit->factor));

	snprintf(text + length, TAPIR_MEASURE_MAX - 40, ".%0*llu%s%s", digits, (unsigned long long)(size % unit->factor),
		 *unit->text ? " " : "", unit->text);
}

u32 tapir_measure(char *text, const struct tapir_screen *screen, const struct tapir_unit *unit, tapir_wide value)
{
	bool negative = value < 0;
	tapir_wide size = negative ? -value : value;
	const char *name = "";

	text[0] = '-';
	if (unit->kind == TAPIR_UNIT_DECIMAL) {
		measure_decimal(text + negative, unit, size);
		return (u32)strlen(text);
	}
	if (!size && unit->kind != TAPIR_UNIT_PLAIN)
		return (u32)sprintf(text, "0");
	if (unit->kind == TAPIR_UNIT_PLAIN) {
		measure_plain(text + negative, unit, size);
		return (u32)strlen(text);
	}
	if (unit->kind == TAPIR_UNIT_TIME)
		on_scale(text + negative, times, 4, 1000, size * unit->factor, &name);
	else
		on_scale(text + negative, sizes, 7, 1024, size, &name);
	if (!screen->utf8 && strcmp(name, "µs") == 0)
		name = "us";
	snprintf(text + strlen(text), TAPIR_MEASURE_MAX - 40, " %s", name);
	return (u32)strlen(text);
}

/* ---- texts ---- */

/* Bytes of the character at `text`: 1 to 4; 0: it is none that can be shown. */
static u32 character(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	u32 bytes = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : 4, i;

	if (at[0] < ' ' || at[0] == 127 || (bytes > 1 && at[0] < 0xc2) || at[0] > 0xf4)
		return 0;
	for (i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Control characters of Latin 1. */
	return bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0 ? 0 : bytes;
}

u32 tapir_bar(char *text, bool utf8, u32 columns, u64 part, u64 whole)
{
	static const char eighths[][4] = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
	u32 fine = utf8 ? 8 : 1, marks = (u32)(((tapir_wide)part * columns * fine + whole / 2) / whole), i;

	if (part && !marks && columns)
		marks = 1;
	*text = 0;
	for (i = 0; i < marks / fine; i++)
		text = stpcpy(text, utf8 ? eighths[7] : "@");
	if (marks % fine)
		strcpy(text, eighths[marks % fine - 1]);
	return (marks + fine - 1) / fine;
}

u32 tapir_columns(const char *text)
{
	u32 columns = 0, bytes;

	for (; *text; text += bytes ? bytes : 1, columns++)
		bytes = character(text);
	return columns;
}

void tapir_fit(char *to, u32 room, const struct tapir_screen *screen, const char *text, u32 columns)
{
	const char *mark = screen->utf8 ? "…" : "~";
	u32 all = tapir_columns(text), first, skipped, i;

	skipped = all > columns ? all - columns + 1 : 0;
	first = skipped ? columns / 2 : all;
	for (i = 0; *text && room > 8; i++) {
		u32 bytes = character(text);
		bool shown = i < first || i >= first + skipped;

		if (i == first && skipped && columns) {
			strcpy(to, mark);
			to += strlen(mark);
			room -= (u32)strlen(mark);
		}
		if (shown && (!bytes || (bytes > 1 && !screen->utf8))) {
			*to++ = '?';
			room--;
		} else if (shown) {
			memcpy(to, text, bytes);
			to += bytes;
			room -= bytes;
		}
		text += bytes ? bytes : 1;
	}
	*to = 0;
}
