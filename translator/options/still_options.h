// SPDX-License-Identifier: GPL-2.0-or-later
// Options that cannot go with those for core files and snapshots.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// Usage errors, each a sentence.
std::vector<std::string> still_conflicts(const Options &options);

}  // namespace tapir::driver
