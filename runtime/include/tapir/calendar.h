/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calendar time as text, in the Gregorian calendar and the C locale. Any context; bounded. */
#ifndef TAPIR_CALENDAR_H
#define TAPIR_CALENDAR_H

#include <tapir/types.h>

struct tapir_ctx;

/*
 * strftime() of C for any number of seconds since 1970-01-01 00:00 UTC, with the flags of glibc and date(1): "-" no padding, "_"
 * spaces, "0" zeros, "^" upper case. `west` is seconds west of UTC, `zone` the time zone's name, both for what the text says. The
 * text is cut at cap - 1 bytes. A conversion that does not exist is an error.
 */
void tapir_strftime(struct tapir_ctx *c, char *dst, u32 cap, const char *format, s64 seconds, s64 west, const char *zone);
/* ISO 8601 with `digits` digits, 0 to 9, of the second's fraction: "1970-01-01T00:00:00.000Z"; "+01:00" instead of "Z" unless
 * `utc`. */
void tapir_iso8601(struct tapir_ctx *c, char *dst, u32 cap, s64 nanoseconds, s64 digits, s64 west, bool utc);

#endif
