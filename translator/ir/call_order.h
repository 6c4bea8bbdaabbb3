// SPDX-License-Identifier: GPL-2.0-or-later
// An order in which each function comes behind those it calls.
#pragma once

#include <cstddef>
#include <vector>

namespace tapir::ir {

// `callees[i]` are the numbers of the functions that function i calls. Returns groups: functions that all call each
// other, directly or through others, or a single function. No group calls a later one. Linear in functions and calls.
// The algorithm: R. Tarjan, "Depth-first search and linear graph algorithms", 1972.
std::vector<std::vector<size_t>> call_order(const std::vector<std::vector<size_t>> &callees);

}  // namespace tapir::ir
