// SPDX-License-Identifier: GPL-2.0-or-later
// The wall clock of the local time zone.
#pragma once

#include <cstdint>
#include <string>

namespace tapir::staprun {

// strftime() of `pattern` for the wall clock time `seconds`; a pattern without '%' is returned as it is.
std::string expand_time(const std::string &pattern, int64_t seconds);

// How far the local time zone is west of UTC at that time, in seconds; daylight saving time included.
int32_t seconds_west_of_utc(int64_t seconds);
// Name of the local time zone at that time, "CET"; "" if it has none.
std::string zone_name(int64_t seconds);

}  // namespace tapir::staprun
