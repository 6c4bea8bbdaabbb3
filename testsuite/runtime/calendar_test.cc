// SPDX-License-Identifier: GPL-2.0-or-later
// Calendar time against the C library's strftime() and against what GNU date prints.
#include <ctime>
#include <random>
#include <string>

#include "fixture.h"

namespace tapir::test {
namespace {

class Calendar : public Runtime {
  protected:
    std::string text(const char *format, s64 seconds, s64 west = 0, const char *zone = "UTC", u32 cap = 512) {
        char buffer[512];
        tapir_strftime(c_, buffer, cap, format, seconds, west, zone);
        return buffer;
    }
    std::string iso(s64 nanoseconds, s64 digits, s64 west = 0, bool utc = true) {
        char buffer[64];
        tapir_iso8601(c_, buffer, sizeof(buffer), nanoseconds, digits, west, utc);
        return buffer;
    }
    std::string error() {
        std::string message = c_->failed ? c_->message : "";
        c_->failed = 0;
        return message;
    }
    static std::string expected(const char *format, s64 seconds) {
        const time_t time = static_cast<time_t>(seconds);
        struct tm parts;
        gmtime_r(&time, &parts);
        char buffer[512];
        return {buffer, strftime(buffer, sizeof(buffer), format, &parts)};
    }
};

// The formats on which implementations of strftime() agree, for years of four and more digits.
constexpr const char *kAll =
    "%a|%A|%b|%B|%c|%C|%d|%D|%e|%g|%G|%h|%H|%I|%j|%k|%l|%m|%M|%n|%p|%P|%r|%R|%S|%t|%T|%u|%U|%V|%w|%W|%x|%X|%y|%Y|%z|%%|"
    "%Y-%m-%d|%-d|%_d|%-j|%_H|%0e|%^a|%^B|%-l|%_m|%Ey|%Od|%^c";

TEST_F(Calendar, LikeTheCLibrary) {
    std::mt19937_64 random(22);
    std::uniform_int_distribution<s64> any(-30610224000, 2534023007990);  // 1000 to 82270
    for (int i = 0; i < 20000; i++) {
        const s64 seconds = any(random);
        ASSERT_EQ(text(kAll, seconds), expected(kAll, seconds)) << seconds;
    }
}

// Every day around the ends of years, through whole cycles of weeks and leap years.
TEST_F(Calendar, EndsOfYearsLikeTheCLibrary) {
    for (s64 year = 1001; year < 2500; year++) {
        const s64 start = (year - 1970) * 31556952;
        for (s64 day = -6; day <= 6; day++) {
            const s64 seconds = start + day * 86400 + 86399;
            ASSERT_EQ(text("%F %a %j %U %V %W %G %g %u", seconds),
                      expected("%Y-%m-%d %a %j %U %V %W %G %g %u", seconds))
                << seconds;
        }
    }
}

struct KnownDate {
    s64 seconds;
    const char *text;
};

// `TZ=UTC date -d @SECONDS "+%Y-%m-%d %T %A %j %U %V %W %G %g %C %y %c"`, GNU coreutils 9.1.
constexpr KnownDate kDate[] = {
    {0, "1970-01-01 00:00:00 Thursday 001 00 01 00 1970 70 19 70 Thu Jan  1 00:00:00 1970"},
    {-1, "1969-12-31 23:59:59 Wednesday 365 52 01 52 1970 70 19 69 Wed Dec 31 23:59:59 1969"},
    {86399, "1970-01-01 23:59:59 Thursday 001 00 01 00 1970 70 19 70 Thu Jan  1 23:59:59 1970"},
    {86400, "1970-01-02 00:00:00 Friday 002 00 01 00 1970 70 19 70 Fri Jan  2 00:00:00 1970"},
    {951782400, "2000-02-29 00:00:00 Tuesday 060 09 09 09 2000 00 20 00 Tue Feb 29 00:00:00 2000"},
    {951868800, "2000-03-01 00:00:00 Wednesday 061 09 09 09 2000 00 20 00 Wed Mar  1 00:00:00 2000"},
    {1078012800, "2004-02-29 00:00:00 Sunday 060 09 09 08 2004 04 20 04 Sun Feb 29 00:00:00 2004"},
    {1078099200, "2004-03-01 00:00:00 Monday 061 09 10 09 2004 04 20 04 Mon Mar  1 00:00:00 2004"},
    {4107456000, "2100-02-28 00:00:00 Sunday 059 09 08 08 2100 00 21 00 Sun Feb 28 00:00:00 2100"},
    {4107542400, "2100-03-01 00:00:00 Monday 060 09 09 09 2100 00 21 00 Mon Mar  1 00:00:00 2100"},
    {-2203891200, "1900-03-01 00:00:00 Thursday 060 08 09 09 1900 00 19 00 Thu Mar  1 00:00:00 1900"},
    {-2203977600, "1900-02-28 00:00:00 Wednesday 059 08 09 09 1900 00 19 00 Wed Feb 28 00:00:00 1900"},
    {13574563200, "2400-02-29 00:00:00 Tuesday 060 09 09 09 2400 00 24 00 Tue Feb 29 00:00:00 2400"},
    {2147483647, "2038-01-19 03:14:07 Tuesday 019 03 03 03 2038 38 20 38 Tue Jan 19 03:14:07 2038"},
    {2147483648, "2038-01-19 03:14:08 Tuesday 019 03 03 03 2038 38 20 38 Tue Jan 19 03:14:08 2038"},
    {-2147483648, "1901-12-13 20:45:52 Friday 347 49 50 49 1901 01 19 01 Fri Dec 13 20:45:52 1901"},
    {-2147483649, "1901-12-13 20:45:51 Friday 347 49 50 49 1901 01 19 01 Fri Dec 13 20:45:51 1901"},
    {4294967296, "2106-02-07 06:28:16 Sunday 038 06 05 05 2106 06 21 06 Sun Feb  7 06:28:16 2106"},
    {253402300799, "9999-12-31 23:59:59 Friday 365 52 52 52 9999 99 99 99 Fri Dec 31 23:59:59 9999"},
    {253402300800, "10000-01-01 00:00:00 Saturday 001 00 52 00 9999 99 100 00 Sat Jan  1 00:00:00 10000"},
    {-62135596800, "0001-01-01 00:00:00 Monday 001 00 01 01 0001 01 00 01 Mon Jan  1 00:00:00 1"},
    {-62135596801, "0000-12-31 23:59:59 Sunday 366 53 52 52 0000 00 00 00 Sun Dec 31 23:59:59 0"},
    {-62167219200, "0000-01-01 00:00:00 Saturday 001 00 52 00 -001 01 00 00 Sat Jan  1 00:00:00 0"},
    {-62167219201, "-001-12-31 23:59:59 Friday 365 52 52 52 -001 01 -0 01 Fri Dec 31 23:59:59 -1"},
    {-62198755200, "-001-01-01 00:00:00 Friday 001 00 53 00 -002 02 -0 01 Fri Jan  1 00:00:00 -1"},
    {-93755704392, "-1002-12-31 12:46:48 Monday 365 52 01 53 -1001 01 -10 02 Mon Dec 31 12:46:48 -1002"},
    {-377705116800, "-9999-01-01 00:00:00 Monday 001 00 01 01 -9999 99 -99 99 Mon Jan  1 00:00:00 -9999"},
    {3833727870672, "123456-01-01 08:31:12 Tuesday 001 00 01 00 123456 56 1234 56 Tue Jan  1 08:31:12 123456"},
    {1230768000, "2009-01-01 00:00:00 Thursday 001 00 01 00 2009 09 20 09 Thu Jan  1 00:00:00 2009"},
    {1483228799, "2016-12-31 23:59:59 Saturday 366 52 52 52 2016 16 20 16 Sat Dec 31 23:59:59 2016"},
    {1704067199, "2023-12-31 23:59:59 Sunday 365 53 52 52 2023 23 20 23 Sun Dec 31 23:59:59 2023"},
    {1735689600, "2025-01-01 00:00:00 Wednesday 001 00 01 00 2025 25 20 25 Wed Jan  1 00:00:00 2025"},
    {1609459200, "2021-01-01 00:00:00 Friday 001 00 53 00 2020 20 20 21 Fri Jan  1 00:00:00 2021"},
    {1577836800, "2020-01-01 00:00:00 Wednesday 001 00 01 00 2020 20 20 20 Wed Jan  1 00:00:00 2020"},
    {915148799, "1998-12-31 23:59:59 Thursday 365 52 53 52 1998 98 19 98 Thu Dec 31 23:59:59 1998"},
    {978307199, "2000-12-31 23:59:59 Sunday 366 53 52 52 2000 00 20 00 Sun Dec 31 23:59:59 2000"},
    {-6847804800, "1753-01-01 00:00:00 Monday 001 00 01 01 1753 53 17 53 Mon Jan  1 00:00:00 1753"},
    {-11676096000, "1600-01-01 00:00:00 Saturday 001 00 52 00 1599 99 16 00 Sat Jan  1 00:00:00 1600"},
};

TEST_F(Calendar, LikeDate) {
    for (const KnownDate &known : kDate)
        EXPECT_EQ(text("%F %T %A %j %U %V %W %G %g %C %y %c", known.seconds), known.text) << known.seconds;
}

TEST_F(Calendar, AnyNumberOfSecondsIsATime) {
    EXPECT_EQ(text("%F %T %s", INT64_MAX), "292277026596-12-04 15:30:07 9223372036854775807");
    EXPECT_EQ(text("%F %T %s", INT64_MIN), "-292277022657-01-27 08:29:52 -9223372036854775808");
    EXPECT_EQ(text("%T", INT64_MAX, -3600), "15:30:07");
}

TEST_F(Calendar, LocalTime) {
    EXPECT_EQ(text("%F %T %z %Z %s", 0, -3600, "CET"), "1970-01-01 01:00:00 +0100 CET 0");
    EXPECT_EQ(text("%F %T %z %^Z", 0, 12600, "Nst"), "1969-12-31 20:30:00 -0330 NST");
    EXPECT_EQ(text("%z", 0, 0, "UTC"), "+0000");
    EXPECT_EQ(text("%z", 0, -20700, ""), "+0545");
}

TEST_F(Calendar, TextAroundConversionsAndItsLimit) {
    EXPECT_EQ(text("", 0), "");
    EXPECT_EQ(text("no conversion", 0), "no conversion");
    EXPECT_EQ(text("at %H o'clock", 7200), "at 02 o'clock");
    EXPECT_EQ(text("%F", 0, 0, "UTC", 5), "1970");
    EXPECT_EQ(text("%A%A", 0, 0, "UTC", 9), "Thursday");
    EXPECT_EQ(error(), "");
}

TEST_F(Calendar, UnknownConversionsAreErrors) {
    EXPECT_EQ(text("%H %Q", 0), "00 ");
    EXPECT_EQ(error(), "strftime: unknown conversion \"%Q\"");
    text("%-5d", 0);
    EXPECT_EQ(error(), "strftime: unknown conversion \"%-5\"");
    text("%N", 0);
    EXPECT_EQ(error(), "strftime: unknown conversion \"%N\"");
    text("%H:%", 0);
    EXPECT_EQ(error(), "strftime: the format ends within a conversion: \"%\"");
    text("%-E", 0);
    EXPECT_EQ(error(), "strftime: the format ends within a conversion: \"%-E\"");
}

TEST_F(Calendar, Iso8601) {
    EXPECT_EQ(iso(0, 9), "1970-01-01T00:00:00.000000000Z");
    EXPECT_EQ(iso(0, 0), "1970-01-01T00:00:00Z");
    EXPECT_EQ(iso(1999999999, 3), "1970-01-01T00:00:01.999Z");
    EXPECT_EQ(iso(-1, 9), "1969-12-31T23:59:59.999999999Z");
    EXPECT_EQ(iso(-1, 1), "1969-12-31T23:59:59.9Z");
    EXPECT_EQ(iso(1, 6, -7200, false), "1970-01-01T02:00:00.000000+02:00");
    EXPECT_EQ(iso(1, 1, 12600, false), "1969-12-31T20:30:00.0-03:30");
    EXPECT_EQ(iso(INT64_MAX, 9), "2262-04-11T23:47:16.854775807Z");
    EXPECT_EQ(iso(INT64_MIN, 9), "1677-09-21T00:12:43.145224192Z");
    EXPECT_EQ(error(), "");
    iso(0, 10);
    EXPECT_EQ(error(), "iso8601: a fraction of a second has 0 to 9 digits, not 10");
    iso(0, -1);
    EXPECT_EQ(error(), "iso8601: a fraction of a second has 0 to 9 digits, not -1");
}

}  // namespace
}  // namespace tapir::test
