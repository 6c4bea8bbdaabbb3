// SPDX-License-Identifier: GPL-2.0-or-later
// How often the probes of a script are hit: from a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

namespace tapir::cost {

struct Rate {
    std::string point;
    std::string where;  // of the handler in a ledger; "": not known
    double hits = 0;    // a second
};

// Reads one of:
//   a ledger of a run (staprun --ledger), as JSON, or a line of output with one (--format=json)
//   an object of JSON, {"POINT": RATE, ...}
//   lines "POINT RATE", or "POINT,RATE" with the point in quotation marks; `#` begins a comment
// The text is that of a file `name`.
Outcome<std::vector<Rate>> read_rates(const std::string &text, const std::string &name);

}  // namespace tapir::cost
