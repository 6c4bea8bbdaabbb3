// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// Says which options exclude each other, about --cost.
std::vector<std::string> cost_conflicts(const Options &options);

}  // namespace tapir::driver
