// SPDX-License-Identifier: GPL-2.0-or-later
// Values as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "live/live_table.h"

namespace tapir::live {

// A cell's text: numbers with their units, texts as they are. The bytes of a text may be anything.
std::string cell_text(const Column &column, const Value &value, bool utf8);

// "1,234,567"
std::string whole(uint64_t count);

// A bar of eighths of a column for `part` of `most`.
std::string bar(uint64_t part, uint64_t most);

// "850 ms", "12.4 s", "3 min 5 s"
std::string duration(uint64_t ns);

}  // namespace tapir::live
