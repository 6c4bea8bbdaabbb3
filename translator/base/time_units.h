// SPDX-License-Identifier: GPL-2.0-or-later
// Units of time, as options of tools and ages of arrays are written in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tapir {

// A unit and how many of the smallest one it is.
struct Unit {
    std::string_view name;
    int64_t size;
};

inline constexpr Unit kTimes[] = {{"ns", 1},
                                  {"us", 1000},
                                  {"ms", 1'000'000},
                                  {"s", 1'000'000'000},
                                  {"m", 60'000'000'000},
                                  {"min", 60'000'000'000},
                                  {"h", 3'600'000'000'000}};

// The ns of a whole number with a unit, such as "60s"; nothing if the text is no such time, or does not fit.
std::optional<int64_t> read_time(std::string_view text);
// The same text again, in the largest unit in which it is whole; 0 and up.
std::string time_text(int64_t ns);

}  // namespace tapir
