// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts of stap++, from the options that they are given to scripts of the plain language.
#pragma once

#include <optional>
#include <string>

#include "driver/pipeline.h"

namespace tapir::driver {

// Expands the script in state.sources, and keeps the libraries that it uses in state.used_texts. Reports what is wrong.
// Returns what --args and --dump-src print.
std::optional<std::string> expand_sxx(State &state);

}  // namespace tapir::driver
