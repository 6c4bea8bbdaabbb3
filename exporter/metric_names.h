// SPDX-License-Identifier: GPL-2.0-or-later
// Names, units and numbers of metrics as monitoring systems have them: seconds, bytes, ratios.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/metric_values.h"

namespace tapir::exporter {

// The unit that values are told in ("seconds"; "" without one), and by how many decimal digits they are shifted.
struct BaseUnit {
    std::string name;
    unsigned digits = 0;
};
BaseUnit base_unit(const std::string &unit);

// "tapir_SCRIPT_NAME_UNIT"; a counter's without "_total".
std::string family_name(std::string_view script, const Metric &metric);

// A number divided by 10^digits, exactly: "0.000012", "-3.5", "7".
std::string decimal(int64_t number, unsigned digits);

// The bounds of the buckets to tell, ascending and without the last, which has all. They stay when further samples
// come, but for larger ones. At most kMostBounds.
std::vector<int64_t> bucket_bounds(const Metric &metric);
constexpr size_t kMostBounds = 64;

}  // namespace tapir::exporter
