// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// Handlers of -i, and of the option by which a session calls itself for each run (--typed).
std::map<std::string, std::function<void(const std::string &)>> interactive_handlers(Options &options);

// Says which options exclude each other, about -i.
std::vector<std::string> interactive_conflicts(const Options &options);

}  // namespace tapir::driver
