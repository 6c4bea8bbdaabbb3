// SPDX-License-Identifier: GPL-2.0-or-later
// Text from values and values from text; iostreams would more than double the size of staprun, which is static.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir {

// printf into a string.
std::string format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void append(std::string &out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// A whole number in C notation (decimal, 0x, 0), optional sign, nothing else. False: not one, or out of range.
bool parse_long(std::string_view text, int64_t &value);
bool parse_unsigned(std::string_view text, uint64_t &value);

}  // namespace tapir
