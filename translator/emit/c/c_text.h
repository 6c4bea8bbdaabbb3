// SPDX-License-Identifier: GPL-2.0-or-later
// Spelling of C: constants, literals, names. Private to emit/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/source.h"

namespace tapir::emit {

// A C string literal for any bytes: no trigraphs, no escape that swallows the next character.
std::string c_string(std::string_view bytes);
// A constant of type s64.
std::string constant(int64_t n);
// Makes a C identifier of a name.
std::string identifier(std::string_view name);

// The user's C between #line directives, so that the compiler speaks of the script's lines. `skip`: bytes between the
// place and the text ("%{").
std::string placed_code(const SourceRef &at, std::string_view code, uint32_t skip);
// Fills in the lines after placed_code()'s texts: those of the emitted file itself.
std::string with_own_lines(const std::string &text);

}  // namespace tapir::emit
