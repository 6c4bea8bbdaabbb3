// SPDX-License-Identifier: GPL-2.0-or-later
// Text for lines of a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace tapir::report {

// At most so many columns, with "…" in place of the middle where it was cut: between "<" and ">" or "(" and ")" if that
// is enough, so that both ends of a name can be read. The text has no control characters.
std::string cut_in_middle(const std::string &text, size_t columns);

// Lines of at most so many columns, broken at blanks; those after the first begin with `indent` blanks. A word that is
// longer than a line is left whole.
std::string wrapped(const std::string &text, size_t columns, size_t indent);

}  // namespace tapir::report
