// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a script anew: its tokens, comments and line breaks as they are, with blanks and indentation of one style.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"

namespace tapir::formatter {

struct Style {
    // One level: "\t" or blanks. "": the file's own, as of its first indented statement, else four blanks.
    std::string unit = {};
};

// The text in that style; a second call changes nothing. Nothing, with reports, if brackets, strings or the like
// are not closed; other mistakes stay as they are. Text within %( %) and %{ %} is not changed. The result has the same
// tokens and comments, and parses to the same tree: that is checked here.
std::optional<std::string> format_script(const SourceFile &file, const Style &style, Diagnostics &diagnostics);

// Whether two texts have the same tokens, comments and trees; else reports UsageError.
bool check_formatted(const SourceFile &file, const SourceFile &formatted, Diagnostics &diagnostics);

}  // namespace tapir::formatter
