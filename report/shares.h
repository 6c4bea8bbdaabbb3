// SPDX-License-Identifier: GPL-2.0-or-later
// Shares of a profile by function, file, label and pattern, with 95 % intervals (docs/flame-graphs.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/profile.h"

namespace tapir::report {

// A part of the profile's total, and between which limits it would be in 95 of 100 sessions like this one.
struct Share {
    int64_t value = 0;
    double share = 0, low = 0, high = 1;  // 0 to 1
};

struct SelfAndTotal {
    std::string name;    // of a file, a label or a pattern; "" of a function
    uint32_t frame = 0;  // of a function: its number in the FrameTable
    Share self, total;   // self: of stacks that end in it. A label has no self
};

// Each in the order of totals, the largest first; patterns in the order in which they were given.
struct Shares {
    std::vector<SelfAndTotal> functions, objects, labels, matches;
    double effective = 0;  // so many samples of equal value would tell as much
    bool widened = false;  // values of single samples are not known, and intervals are as wide as they can make them
};

Shares shares_of(const Profile &profile, const FrameTable &frames);

// Wilson's score interval of a share among `samples` independent samples, which need not be a whole number.
Share interval_of(double share, double samples);

// "": it is a regular expression of ECMAScript. Else what is wrong.
std::string pattern_problem(const std::string &pattern);

}  // namespace tapir::report
