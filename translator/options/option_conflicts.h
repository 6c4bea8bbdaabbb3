// SPDX-License-Identifier: GPL-2.0-or-later
// Options that exclude or need each other.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// Facts that the fields do not tell.
struct CommandLine {
    bool has_words;     // besides the script
    bool has_sign_key;  // --sign-key, also an empty one
};

// Returns what is wrong with the options together, each a message with its full stop.
std::vector<std::string> conflicts(const Options &options, const CommandLine &line);

}  // namespace tapir::driver
