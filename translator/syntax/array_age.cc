// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/array_age.h"

#include "base/help.h"
#include "base/time_units.h"

namespace tapir::syntax {

int64_t read_array_age(const Token &time, Diagnostics &diagnostics) {
    constexpr int64_t least = 100'000'000, most = 8784 * 3'600'000'000'000;  // a year
    const std::optional<int64_t> ns = read_time(time.ref.text);
    if (ns && *ns >= least && *ns <= most) return *ns;
    if (ns)
        diagnostics.report(Tag::SizeOutOfRange, time.ref,
                           "age out of range (" + time_text(least) + " to " + time_text(most) + ")");
    else
        add_help(diagnostics.report(Tag::BadNumber, time.ref, "the age of elements is a number with a unit of time"),
                 "write it as in age 60s; units are ns, us, ms, s, m, min and h");
    return least;
}

}  // namespace tapir::syntax
