// SPDX-License-Identifier: GPL-2.0-or-later
// The values of each function, read back from a file of any format.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace tapir::report {

struct Sums {
    int64_t self = 0, total = 0;
    bool operator==(const Sums &) const = default;
};
inline void PrintTo(const Sums &sums, std::ostream *out) {
    *out << sums.self << " of " << sums.total;
}
// The sums of each function. Among recursive calls the outermost counts.
using SumsByName = std::map<std::string, Sums>;

// Stacks are root first.
void add_stack(SumsByName &sums, const std::vector<std::string> &stack, int64_t value);

SumsByName read_folded(const std::string &text);
SumsByName read_speedscope(const std::string &text);
SumsByName read_chrome(const std::string &text);
SumsByName read_firefox(const std::string &text);
SumsByName read_shares(const std::string &text);
SumsByName read_svg(const std::string &text);
SumsByName read_page(const std::string &text);
// The same from the output of "go tool pprof -raw"; takes the last of its values.
SumsByName read_pprof_raw(const std::string &text);

}  // namespace tapir::report
