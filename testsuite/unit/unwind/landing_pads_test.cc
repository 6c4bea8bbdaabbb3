// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/landing_pads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tapir::unwind {
namespace {

using testing::ElementsAre;

std::string text(std::initializer_list<int> bytes) {
    std::string all;
    for (const int byte : bytes)
        all += static_cast<char>(byte);
    return all;
}

TEST(LandingPads, AreRelativeToTheFunction) {
    // No origin, no types, sites in uleb128: two, of which one has no handler.
    const std::string table = text({0xff, 0xff, 0x01, 8, 0x04, 0x05, 0x00, 0x00, 0x10, 0x05, 0x42, 0x01});
    EXPECT_THAT(*landing_pads(table, 0x2000, 0x1000), ElementsAre(0x1042));
}

TEST(LandingPads, AreRelativeToWhatTheTableSays) {
    // An origin in absolute 8 bytes, types, sites of 4 bytes.
    const std::string table =
        text({0x00, 0x00, 0x50, 0, 0, 0, 0, 0, 0, 0x9b, 0x20, 0x03, 13, 4, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0, 0});
    EXPECT_THAT(*landing_pads(table, 0x2000, 0x1000), ElementsAre(0x5007));
}

TEST(LandingPads, OfADamagedTableAreNone) {
    EXPECT_FALSE(landing_pads({}, 0, 0));
    EXPECT_FALSE(landing_pads(text({0xff, 0xff, 0x01, 8, 0x04, 0x05}), 0, 0));     // shorter than it says
    EXPECT_FALSE(landing_pads(text({0xff, 0xff, 0x01, 2, 0x04, 0x05}), 0, 0));     // within a site
    EXPECT_FALSE(landing_pads(text({0x9b, 0, 0, 0, 0, 0xff, 0x01, 0}), 0, 0));     // an origin in memory
    EXPECT_FALSE(landing_pads(text({0xff, 0xff, 0x0f, 3, 0x04, 0x05, 0}), 0, 0));  // numbers of no known size
}

}  // namespace
}  // namespace tapir::unwind
