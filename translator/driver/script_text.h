// SPDX-License-Identifier: GPL-2.0-or-later
// The texts of the user's script.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "options/options.h"

namespace tapir::driver {

// Reads a script; "-" is standard input. Null with a report if it is missing, unreadable or empty.
std::unique_ptr<SourceFile> read_script(const std::string &path, Diagnostics &diagnostics);

// Reads the script file, -e, -E texts, or makes the one of -l/-L, in that order. Reports files that are missing,
// unreadable or empty.
std::vector<std::unique_ptr<SourceFile>> read_sources(const Options &options, Diagnostics &diagnostics);

}  // namespace tapir::driver
