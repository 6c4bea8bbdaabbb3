// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/unit_of_subject.h"

#include <algorithm>

#include "base/name_patterns.h"
#include "common/quoting.h"

namespace tapir::syntax {

Measure measure_of(std::string_view text) {
    constexpr std::string_view kOf = " of ";
    // A blank in front finds "of" without a unit, too.
    const std::string padded = " " + std::string(trim(text)) + " ";
    const size_t of = padded.find(kOf);
    Measure measure{std::string(trim(padded.substr(0, of))), ""};
    if (of != std::string::npos) measure.subject = trim(padded.substr(of + kOf.size()));
    return measure;
}

std::string complaint_about_unit(const std::string &unit, const std::string &before) {
    constexpr std::string_view kShown[] = {"ns", "us", "µs", "ms", "s", "bytes", "B", "%"};
    const std::string first = unit.substr(0, unit.find_first_of(" ,"));
    if (first.size() == unit.size() || std::ranges::find(kShown, first) == std::end(kShown)) return "";
    return "'" + unit + "' is no unit; what the numbers are of stands behind 'of': '" + before + first + " of ...'";
}

}  // namespace tapir::syntax
