// SPDX-License-Identifier: GPL-2.0-or-later
// "UNIT of SUBJECT": what numbers of a column or a histogram are.
#pragma once

#include <string>
#include <string_view>

namespace tapir::syntax {

struct Measure {
    std::string unit, subject;  // empty: not said
};

// Without blanks around both. "of SUBJECT" has no unit.
Measure measure_of(std::string_view text);

// Returns what is wrong with a unit, or "": one that numbers are shown with (items/measures.c) has no more words, as
// "us to connect". `before` is what stands before the unit in the advice.
std::string complaint_about_unit(const std::string &unit, const std::string &before);

}  // namespace tapir::syntax
