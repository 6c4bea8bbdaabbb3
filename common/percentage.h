// SPDX-License-Identifier: GPL-2.0-or-later
// Shares of something, as users write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tapir {

// "5", "5%" or "0.25%" in hundredths of a percent: 0.01 to 100 percent. Nothing for other texts.
std::optional<uint32_t> hundredths_of_percent(std::string_view text);

}  // namespace tapir
