// SPDX-License-Identifier: GPL-2.0-or-later
// A line of source with a token marked below, as wide as the screen.
#pragma once

#include <string>

#include "base/source.h"
#include "common/screen.h"

namespace tapir {

// Where a message points: the token, or for the end of a file the end of its last line with text. `line` is 0 for a
// file without any.
SourceRef shown_place(const SourceRef &at);

// "  --> FILE:LINE:COLUMN" with `why` behind it, the line and the carets. The gutter is for numbers of `digits` digits.
// A line without text has no window.
std::string source_window(const SourceRef &place, size_t digits, std::string_view why, const Screen &screen);

}  // namespace tapir
