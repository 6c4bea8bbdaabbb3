// SPDX-License-Identifier: GPL-2.0-or-later
// Macros that scripts can set with -D: limits, and macros of other implementations that have no meaning here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir {

struct Limit {
    std::string_view name;
    int64_t least, most;
    bool load_time;  // can be set when a module is loaded, too
};

// Null: it is not a limit.
const Limit *find_limit(std::string_view name);

// Says why a limit cannot have this value, without a full stop; "" if it can.
std::string why_no_value(const Limit &limit, std::string_view text);

// Why a macro that SystemTap knows is not needed here; "": it does not know it.
std::string_view why_not_needed(std::string_view macro);

// "", or " (similar: ...)" with the limits of nearly this name.
std::string similar_limits(std::string_view name);

}  // namespace tapir
