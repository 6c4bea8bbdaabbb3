// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

namespace tapir::live {

constexpr size_t kBarWidth = 24;

// A bar of eighths of a block, for 0 to 1 of `width` columns. Any share above 0 has an eighth at least.
std::string bar(double share, size_t width);

}  // namespace tapir::live
