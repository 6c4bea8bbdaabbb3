// SPDX-License-Identifier: GPL-2.0-or-later
// Values that a global may be changed to from outside, while the script runs.
#pragma once

#include <cstdint>
#include <string>

namespace tapir::ast {

struct LiveRange {
    int64_t least = INT64_MIN, most = INT64_MAX;  // of a number
    std::string choices;                          // of a text: "any|sleep"; "": it may be any
};

}  // namespace tapir::ast
