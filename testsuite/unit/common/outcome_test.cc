// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/outcome.h"

#include <gtest/gtest.h>

#include <memory>

namespace tapir {
namespace {

Outcome<std::unique_ptr<int>> box(bool good) {
    if (!good) return Fault{FaultTag::Misuse, "no box", "make one"};
    return std::make_unique<int>(7);
}

TEST(Outcome, HoldsAValueOrAFault) {
    Outcome<std::unique_ptr<int>> full = box(true);
    ASSERT_TRUE(full);
    EXPECT_EQ(7, **full);
    EXPECT_EQ(7, *full->get());
    const std::unique_ptr<int> taken = std::move(*full);
    EXPECT_EQ(7, *taken);
    const Outcome<std::unique_ptr<int>> empty = box(false);
    ASSERT_FALSE(empty);
    EXPECT_EQ(FaultTag::Misuse, empty.fault().tag);
    EXPECT_EQ("no box; make one", empty.fault().message());
}

TEST(Outcome, OfNothing) {
    Outcome<void> outcome;
    EXPECT_TRUE(outcome);
    outcome = Fault{FaultTag::Misuse, "why"};
    ASSERT_FALSE(outcome);
    EXPECT_EQ("why", outcome.fault().message());
    outcome = {};
    EXPECT_TRUE(outcome);
}

}  // namespace
}  // namespace tapir
