// SPDX-License-Identifier: GPL-2.0-or-later
// Spelling of C: constants, literals, names. Private to emit/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::emit {

// A C string literal for any bytes: no trigraphs, no escape that swallows the next character.
std::string quoted(std::string_view bytes);
// A constant of type s64.
std::string constant(int64_t n);
// What is left of a name in a C identifier.
std::string identifier(std::string_view name);

}  // namespace tapir::emit
