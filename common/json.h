// SPDX-License-Identifier: GPL-2.0-or-later
// A JSON writer for programs that must stay small; readers use nlohmann-json.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// A JSON string with its quotes. Bytes that printable() would not show become U+00xx, one by one.
std::string json_string(std::string_view text);

// The bytes that characters of UTF-8 stand for, each U+0000 to U+00FF: strings of records with `latin1`
// (docs/output.md).
std::string bytes_of_latin1(std::string_view text);

}  // namespace tapir
