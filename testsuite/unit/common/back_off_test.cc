// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/back_off.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

TEST(BackOff, DoublesUpToALimit) {
    BackOff rest;
    for (const int seconds : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300})
        EXPECT_EQ(seconds, rest.failed().count());
    rest.succeeded();
    EXPECT_EQ(1, rest.failed().count());
    EXPECT_EQ(2, rest.failed().count());
}

}  // namespace
}  // namespace tapir
