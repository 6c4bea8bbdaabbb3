// SPDX-License-Identifier: GPL-2.0-or-later
// Commands as one would type them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir {

// The word as it is if sh takes it like that, else shell_quoted() (common/quoting.h).
std::string shell_word(const std::string &word);

// Without the directory of the program.
std::string command_text(std::string_view program, const std::vector<std::string> &arguments);

}  // namespace tapir
