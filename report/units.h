// SPDX-License-Identifier: GPL-2.0-or-later
// Amounts as people read them: scaled, with three digits and a unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/profile.h"

namespace tapir::report {

// "980 ns", "4.37 µs", "316 ms", "7.65 s", "1,234 s". Less than half a nanosecond is "0 s".
std::string time_text(double nanoseconds);
// "512 bytes", "1.50 KiB", "12.5 MiB"
std::string bytes_text(double bytes);
// "12,642"
std::string count_text(uint64_t count);
// "1 sample", "12,642 samples"
std::string counted(uint64_t count, std::string_view one, std::string_view many);
// "44 %", "7.7 %", "0.3 %", "< 0.1 %". Only all is 100 %, and only nothing is 0 %.
std::string share_text(double percent);
// The share of `part` in `all`; "0 %" of nothing.
std::string share_text(int64_t part, int64_t all);

// The kind of a profile's values.
enum class Measure : uint8_t {
    Time,
    Bytes,
    Samples,  // of a clock: each stands for the time between two ticks
    Plain,    // counts of anything
};

struct Units {
    Measure measure = Measure::Plain;
    double scale = 1;  // Time: nanoseconds of a unit; Samples: of a sample; else 1
    std::string unit;  // as the profile has it: "microseconds", "samples", "faults"

    // "7.65 s", "-1.20 MiB", "316 ms", "12,642 faults"
    std::string text(int64_t value) const;
    // The samples of a clock in both units: "316 ms, 315 samples"; else as text().
    std::string long_text(int64_t value) const;
};

Units units_of(const Profile &profile);

}  // namespace tapir::report
