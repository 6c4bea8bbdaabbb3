// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace tapir::report {

// Text as content or quoted attribute of XML and HTML. It must be valid UTF-8 without control characters.
std::string markup(std::string_view text);

// At most `columns` characters, the last of which is "…" where something was cut; "" if fewer than 3.
std::string fitted(std::string_view text, size_t columns);

}  // namespace tapir::report
