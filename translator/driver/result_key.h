// SPDX-License-Identifier: GPL-2.0-or-later
// The key by which stap recognizes an unchanged script.
#pragma once

#include <string>

#include "driver/pipeline.h"

namespace tapir::driver {

// Key over everything that passes 1 to 4 depend on: script texts and arguments, options, every tapset file's name, size
// and time, the kernel and its debug information, and `base_key` (the kernel's template). state.sources, state.kernel
// and state.tapset_files must be there.
std::string result_key(const State &state, const std::string &base_key);

// The key of a result that also depends on what programs were found: `lookups` is what DebugInfo::lookups() said when
// it was made.
std::string result_key_with(const State &state, const std::string &key, const std::string &lookups);

}  // namespace tapir::driver
