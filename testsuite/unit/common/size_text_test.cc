// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/size_text.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

TEST(SizeText, RoundsUp) {
    EXPECT_EQ(size_text(0), "0 KB");
    EXPECT_EQ(size_text(1), "1 KB");
    EXPECT_EQ(size_text(999'000), "999 KB");
    EXPECT_EQ(size_text(1'000'001), "2 MB");
    EXPECT_EQ(size_text(862'000'000), "862 MB");
}

}  // namespace
}  // namespace tapir
