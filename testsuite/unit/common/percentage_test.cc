// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/percentage.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

TEST(Percentage, InHundredths) {
    EXPECT_EQ(hundredths_of_percent("5"), 500u);
    EXPECT_EQ(hundredths_of_percent("5%"), 500u);
    EXPECT_EQ(hundredths_of_percent("0.25%"), 25u);
    EXPECT_EQ(hundredths_of_percent("0.5"), 50u);
    EXPECT_EQ(hundredths_of_percent("2.05"), 205u);
    EXPECT_EQ(hundredths_of_percent("0.01%"), 1u);
    EXPECT_EQ(hundredths_of_percent("100%"), 10000u);
    for (const char *text : {"", "%", "0", "0.00", "100.01", "101", "-1", "+1", "5%%", "5 %", "x", "1.", ".5", "1.234",
                             "1.-1", "4294967301"})
        EXPECT_EQ(hundredths_of_percent(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tapir
