// SPDX-License-Identifier: GPL-2.0-or-later
// How the numbers of a column of a table (@table) add up when the tables of many hosts become one.
#pragma once

#include <cstdint>
#include <string_view>

namespace tapir::merge {

enum class Meaning : uint8_t {
    Key,      // names something: rows with equal keys become one
    Sum,      // counts and totals: they add up
    Average,  // weighted by the row's count
    Least,
    Most,
    Bound,  // a percentile: that of all hosts is between the least and the largest, and the largest is shown
    Each    // a single time or size: the average of all rows is shown
};

// Decides by the words of the column, as docs/fleets.md tells.
Meaning meaning_of(std::string_view name, std::string_view unit, std::string_view subject);

// Is a column of this unit a count of something, which can weigh averages?
bool is_count(std::string_view unit);

// "key", "sum", "average", "least", "most", "percentile", "each"
std::string_view meaning_text(Meaning meaning);

}  // namespace tapir::merge
