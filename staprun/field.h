// SPDX-License-Identifier: GPL-2.0-or-later
// Texts in the module's structures.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

namespace tapir::staprun {

// Up to its NUL, if it has one.
template <size_t N>
std::string field(const char (&text)[N]) {
    return std::string(text, strnlen(text, N));
}

}  // namespace tapir::staprun
