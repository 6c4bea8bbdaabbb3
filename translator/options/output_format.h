// SPDX-License-Identifier: GPL-2.0-or-later
// Where records for programs (--format=json, --format=csv) cannot be written.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// Returns messages about options that exclude each other.
std::vector<std::string> format_conflicts(const Options &options);

}  // namespace tapir::driver
