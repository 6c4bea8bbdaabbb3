// SPDX-License-Identifier: GPL-2.0-or-later
#include "clocks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace tapir::staprun {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

template <typename Clock>
uint64_t now() {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

TEST(StaprunClocks, AreOfOneMoment) {
    const uint64_t monotonic = now<steady_clock>(), realtime = now<system_clock>();
    const Clocks clocks = read_clocks();
    EXPECT_GE(clocks.monotonic, monotonic);
    EXPECT_LE(clocks.monotonic, now<steady_clock>());
    EXPECT_GE(clocks.realtime, realtime);
    EXPECT_LE(clocks.realtime, now<system_clock>());
    EXPECT_LE(clocks.within, now<steady_clock>() - monotonic);
}

TEST(StaprunClocks, AreAMember) {
    tapir_json json = {};
    put_clocks(&json, {5, 1'700'000'000'000'000'000, 7});
    EXPECT_EQ(R"(,"clock":{"monotonic":5,"realtime":1700000000000000000,"within":7})",
              std::string(json.text, json.used));
    tapir_json_free(&json);
}

}  // namespace
}  // namespace tapir::staprun
