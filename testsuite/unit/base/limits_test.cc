// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/limits.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

std::string why(const char *name, const char *text) {
    const Limit *limit = find_limit(name);
    return limit ? why_no_value(*limit, text) : "it is not a limit";
}

TEST(Limits, TakeNumbersOfTheirRange) {
    EXPECT_EQ(why("MAXSTRINGLEN", "16"), "");
    EXPECT_EQ(why("MAXSTRINGLEN", "0x10000"), "");
    EXPECT_EQ(why("MAXSTRINGLEN", "15"), "MAXSTRINGLEN is a number from 16 to 65536, not '15'");
    EXPECT_EQ(why("MAXSTRINGLEN", "99999999"), "MAXSTRINGLEN is a number from 16 to 65536, not '99999999'");
    EXPECT_EQ(why("MAXACTION", "9223372036854775807"), "");
    EXPECT_EQ(why("MAXACTION", "9223372036854775808"), "MAXACTION is a number from 1 on, not '9223372036854775808'");
    EXPECT_EQ(why("MAXACTION", "-1"), "MAXACTION is a number from 1 on, not '-1'");
    EXPECT_EQ(why("MAXERRORS", "10k"), "MAXERRORS is a number from 0 on, not '10k'");
    EXPECT_EQ(why("MAXERRORS", ""), "MAXERRORS is a number from 0 on, not ''");
    EXPECT_EQ(why("HIST_ELISION", "-1"), "");
    EXPECT_EQ(why("HIST_ELISION", "x"), "HIST_ELISION is a number, not 'x'");
    EXPECT_EQ(why("STP_OVERLOAD_INTERVAL", "0"), "STP_OVERLOAD_INTERVAL is a number from 1 on, not '0'");
    EXPECT_EQ(why("MINE", "1"), "it is not a limit");
}

TEST(Limits, OfOtherImplementationsAreExplained) {
    EXPECT_EQ(why_not_needed("KRETACTIVE"), "set it at the probe: .return.maxactive(N)");
    EXPECT_EQ(why_not_needed("STP_NO_OVERLOAD"), "without --on-overload=stop no session ends because of its overhead");
    EXPECT_EQ(why_not_needed("STP_OVERLOAD_THRESHOLD"), "");
    EXPECT_EQ(why_not_needed("MAXACTION"), "");
    EXPECT_EQ(why_not_needed("MINE"), "");
}

TEST(Limits, NearNames) {
    EXPECT_EQ(similar_limits("MAXACTOIN"), " (similar: MAXACTION)");
    EXPECT_EQ(similar_limits("MINE"), "");
}

}  // namespace
}  // namespace tapir
