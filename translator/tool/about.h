// SPDX-License-Identifier: GPL-2.0-or-later
// A tool as it describes itself to people, to man, to shells and to programs, all from its head.
#pragma once

#include <string>
#include <string_view>

#include "tool/head.h"

namespace tapir::tool {

// The summary of --help, in lines of at most `width` columns where words allow it.
std::string help_text(const Head &head, size_t width = 80);

// A manual page of section 1 in roff. `version` is Tapir's.
std::string man_text(const Head &head, std::string_view version);

// A script that completes the tool's options in "bash", "zsh" or "fish".
std::string completion_text(const Head &head, std::string_view shell);

// One JSON object: name, aliases, group, question, examples, and the options with their types, limits and defaults.
// Members are only added to it; "v" is its version.
std::string describe_text(const Head &head);

}  // namespace tapir::tool
