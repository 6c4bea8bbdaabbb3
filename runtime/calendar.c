// SPDX-License-Identifier: GPL-2.0-or-later
/* Calendar time as text. */
#include <tapir/calendar.h>
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

#define DAY 86400

struct moment {
	s64 seconds, west;
	s64 year, days;			    /* days: since 1970-01-01 */
	s32 month, day, year_day, week_day; /* from 0, but day from 1; Sunday is 0 */
	s32 hour, minute, second;
	const char *zone;
};

/* Rounds down; *rest is not negative. */
static s64 divide(s64 n, s64 by, s64 *rest)
{
	s64 quotient = n / by;

	*rest = n % by;
	if (*rest < 0) {
		*rest += by;
		quotient--;
	}
	return quotient;
}

static bool is_leap_year(s64 year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Sets the date of m->days. Eras of 400 years, in years that begin on March 1, so that leap days come last. */
static void set_date(struct moment *m)
{
	s64 day, rest;
	s64 era = divide(m->days + 719468, 146097, &day);
	s64 year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	s64 year_day = day - (365 * year + year / 4 - year / 100);
	s64 month = (5 * year_day + 2) / 153;

	m->day = (s32)(year_day - (153 * month + 2) / 5 + 1);
	m->month = (s32)(month < 10 ? month + 2 : month - 10);
	m->year = year + era * 400 + (m->month < 2);
	m->year_day = (s32)(m->month < 2 ? year_day - 306 : year_day + 59 + is_leap_year(m->year));
	divide(m->days + 4, 7, &rest);
	m->week_day = (s32)rest;
}

/* `seconds` are UTC. If the local time overflows, UTC takes its place. */
static void set_moment(struct moment *m, s64 seconds, s64 west, const char *zone)
{
	s64 local, rest;

	if (__builtin_sub_overflow(seconds, west, &local))
		local = seconds;
	m->seconds = seconds;
	m->west = west;
	m->zone = zone;
	m->days = divide(local, DAY, &rest);
	m->hour = (s32)(rest / 3600);
	m->minute = (s32)(rest / 60 % 60);
	m->second = (s32)(rest % 60);
	set_date(m);
}

/* The year that the ISO 8601 week belongs to, and the week's number. */
static s64 iso_year(const struct moment *m, s32 *week)
{
	/* The year of the week's Thursday. */
	s32 thursday = m->year_day + 3 - (m->week_day + 6) % 7;
	s64 year = m->year;

	if (thursday < 0) {
		year--;
		thursday += 365 + is_leap_year(year);
	} else if (thursday >= 365 + is_leap_year(year)) {
		thursday -= 365 + is_leap_year(year);
		year++;
	}
	*week = thursday / 7 + 1;
	return year;
}

/* ---- conversions ---- */

static const char week_days[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char months[12][10] = {"January", "February", "March",	"April",   "May",      "June",
				    "July",    "August",   "September", "October", "November", "December"};

static void put_text(struct tapir_sink *k, const char *text, u32 length, char flag)
{
	u32 i;

	for (i = 0; i < length && text[i]; i++) {
		char ch = text[i];

		if (flag == '^' && ch >= 'a' && ch <= 'z')
			ch = (char)(ch - 'a' + 'A');
		tapir_sink_put(k, &ch, 1);
	}
}

/* The width includes a sign. The conversion pads with `pad`, unless a flag says otherwise. */
static void put_number(struct tapir_sink *k, s64 n, s32 width, char pad, char flag)
{
	char buffer[TAPIR_DIGITS_MAX];
	const char *digits = tapir_digits(buffer, n < 0 ? 0 - (u64)n : (u64)n, 10, false);
	s32 length = (s32)(buffer + TAPIR_DIGITS_MAX - digits);
	s32 missing = width - length - (n < 0);

	if (flag == '-')
		missing = 0;
	if (flag == '_' || flag == '0')
		pad = flag == '_' ? ' ' : '0';
	if (pad == ' ')
		tapir_sink_pad(k, ' ', missing);
	if (n < 0)
		tapir_sink_put(k, "-", 1);
	if (pad == '0')
		tapir_sink_pad(k, '0', missing);
	tapir_sink_put(k, digits, (u32)length);
}

/* The hundreds of a year, with its sign. */
static void put_century(struct tapir_sink *k, s64 year, char flag)
{
	if (year < 0 && year > -100)
		tapir_sink_put(k, "-0", 2);
	else
		put_number(k, year / 100, 2, '0', flag);
}

static void put_offset(struct tapir_sink *k, s64 west, bool colon)
{
	u64 minutes = (west < 0 ? 0 - (u64)west : (u64)west) / 60;

	tapir_sink_put(k, west > 0 ? "-" : "+", 1);
	put_number(k, (s64)(minutes / 60), 2, '0', 0);
	if (colon)
		tapir_sink_put(k, ":", 1);
	put_number(k, (s64)(minutes % 60), 2, '0', 0);
}

static s64 last_digits(s64 year)
{
	s64 n = year % 100;

	return n < 0 ? -n : n;
}

/* Returns the expansion of a composite conversion, or NULL. */
static const char *meaning_of(char conversion)
{
	switch (conversion) {
	case 'D':
	case 'x':
		return "%m/%d/%y";
	case 'F':
		return "%Y-%m-%d";
	case 'R':
		return "%H:%M";
	case 'T':
	case 'X':
		return "%H:%M:%S";
	case 'c':
		return "%a %b %e %H:%M:%S %-Y";
	case 'r':
		return "%I:%M:%S %p";
	default:
		return NULL;
	}
}

static bool put_name(struct tapir_sink *k, const struct moment *m, char conversion, char flag)
{
	switch (conversion) {
	case 'A':
		put_text(k, week_days[m->week_day], 10, flag);
		return true;
	case 'a':
		put_text(k, week_days[m->week_day], 3, flag);
		return true;
	case 'B':
		put_text(k, months[m->month], 10, flag);
		return true;
	case 'b':
	case 'h':
		put_text(k, months[m->month], 3, flag);
		return true;
	case 'P':
		put_text(k, m->hour < 12 ? "am" : "pm", 2, flag);
		return true;
	case 'p':
		put_text(k, m->hour < 12 ? "AM" : "PM", 2, flag);
		return true;
	case 'Z':
		put_text(k, m->zone, 64, flag);
		return true;
	case 'n':
		tapir_sink_put(k, "\n", 1);
		return true;
	case 't':
		tapir_sink_put(k, "\t", 1);
		return true;
	case '%':
		tapir_sink_put(k, "%", 1);
		return true;
	default:
		return false;
	}
}

static bool put_year_or_week(struct tapir_sink *k, const struct moment *m, char conversion, char flag)
{
	s32 week;
	s64 year = iso_year(m, &week);

	switch (conversion) {
	case 'C':
		put_century(k, m->year, flag);
		return true;
	case 'G':
		put_number(k, year, 4, '0', flag);
		return true;
	case 'U':
		put_number(k, (m->year_day + 7 - m->week_day) / 7, 2, '0', flag);
		return true;
	case 'V':
		put_number(k, week, 2, '0', flag);
		return true;
	case 'W':
		put_number(k, (m->year_day + 7 - (m->week_day + 6) % 7) / 7, 2, '0', flag);
		return true;
	case 'Y':
		put_number(k, m->year, 4, '0', flag);
		return true;
	case 'g':
		put_number(k, last_digits(year), 2, '0', flag);
		return true;
	case 'y':
		put_number(k, last_digits(m->year), 2, '0', flag);
		return true;
	default:
		return false;
	}
}

/* Returns false for an unknown conversion. */
static bool put_conversion(struct tapir_sink *k, const struct moment *m, char conversion, char flag)
{
	s32 hour12 = m->hour % 12 ? m->hour % 12 : 12;

	switch (conversion) {
	case 'H':
		put_number(k, m->hour, 2, '0', flag);
		break;
	case 'I':
		put_number(k, hour12, 2, '0', flag);
		break;
	case 'M':
		put_number(k, m->minute, 2, '0', flag);
		break;
	case 'S':
		put_number(k, m->second, 2, '0', flag);
		break;
	case 'd':
		put_number(k, m->day, 2, '0', flag);
		break;
	case 'e':
		put_number(k, m->day, 2, ' ', flag);
		break;
	case 'j':
		put_number(k, m->year_day + 1, 3, '0', flag);
		break;
	case 'k':
		put_number(k, m->hour, 2, ' ', flag);
		break;
	case 'l':
		put_number(k, hour12, 2, ' ', flag);
		break;
	case 'm':
		put_number(k, m->month + 1, 2, '0', flag);
		break;
	case 's':
		put_number(k, m->seconds, 1, '0', flag);
		break;
	case 'u':
		put_number(k, m->week_day ? m->week_day : 7, 1, '0', flag);
		break;
	case 'w':
		put_number(k, m->week_day, 1, '0', flag);
		break;
	case 'z':
		put_offset(k, m->west, false);
		break;
	default:
		return put_name(k, m, conversion, flag) || put_year_or_week(k, m, conversion, flag);
	}
	return true;
}

static bool is_flag(char ch)
{
	return ch == '-' || ch == '_' || ch == '0' || ch == '^';
}

/* Returns the rest of the format; NULL after an error. */
static const char *convert(struct tapir_sink *k, const struct moment *m, const char *s)
{
	const char *start = s, *meaning;
	char flag = 0, conversion;
	bool upper;

	for (s++; is_flag(*s); s++)
		flag = *s;
	if (*s == 'E' || *s == 'O') /* other ways to write it, which the C locale does not have */
		s++;
	conversion = *s;
	if (!conversion) {
		tapir_errorf(k->c, NULL, "strftime: the format ends within a conversion: \"%s\"", start);
		return NULL;
	}
	meaning = meaning_of(conversion);
	upper = flag == '^';
	while (meaning && *meaning) { /* one level deep */
		if (*meaning == '%') {
			flag = meaning[1] == '-' ? '-' : upper ? '^' : 0;
			meaning += meaning[1] == '-' ? 2 : 1;
			put_conversion(k, m, *meaning, flag);
		} else {
			tapir_sink_put(k, meaning, 1);
		}
		meaning++;
	}
	if (!meaning && !put_conversion(k, m, conversion, flag)) {
		tapir_errorf(k->c, NULL, "strftime: unknown conversion \"%.*s\"", (int)(s - start) + 1, start);
		return NULL;
	}
	return s + 1;
}

void tapir_strftime(struct tapir_ctx *c, char *dst, u32 cap, const char *format, s64 seconds, s64 west, const char *zone)
{
	struct tapir_sink k = {.c = c, .dst = dst, .limit = cap - 1};
	const char *s = format, *text;
	struct moment m;

	set_moment(&m, seconds, west, zone);
	while (s && *s) {
		if (*s == '%') {
			s = convert(&k, &m, s);
			continue;
		}
		for (text = s; *s && *s != '%'; s++)
			;
		tapir_sink_put(&k, text, (u32)(s - text));
	}
	dst[k.length] = 0;
}

void tapir_iso8601(struct tapir_ctx *c, char *dst, u32 cap, s64 nanoseconds, s64 digits, s64 west, bool utc)
{
	char fraction[TAPIR_DIGITS_MAX];
	s64 rest, seconds = divide(nanoseconds, 1000000000, &rest);
	struct tapir_sink k = {.c = c, .dst = dst, .limit = cap - 1};

	dst[0] = 0;
	if (digits < 0 || digits > 9) {
		tapir_errorf(c, NULL, "iso8601: a fraction of a second has 0 to 9 digits, not %lld", (long long)digits);
		return;
	}
	tapir_strftime(c, dst, cap, "%FT%T", seconds, west, "");
	k.length = tapir_strlen(dst, cap);
	if (digits) {
		tapir_format(fraction, sizeof(fraction), ".%09lld", (long long)rest);
		tapir_sink_put(&k, fraction, (u32)digits + 1);
	}
	if (utc)
		tapir_sink_put(&k, "Z", 1);
	else
		put_offset(&k, west, true);
	dst[k.length] = 0;
}
