// SPDX-License-Identifier: GPL-2.0-or-later
// Members of records (docs/output.md). A member that is missing, or of another type, is 0, "" or empty. `latin1`: the
// record's strings have a character for each byte.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "live/live_table.h"
#include "live/monitor_tables.h"

namespace tapir::live {

int64_t number_in(const nlohmann::json &record, const char *member);
uint64_t count_in(const nlohmann::json &record, const char *member);
std::string text_in(const nlohmann::json &record, const char *member, bool latin1);
const nlohmann::json &list_in(const nlohmann::json &record, const char *member);
Value value_in(const nlohmann::json &value, bool latin1);

// Members of a record `value` that a statistic has.
constexpr const char *kStatistic[] = {"count", "sum", "min", "avg", "max"};

// Records of --monitor, and the keys and the value of a record `value` as a text.
ProbeState probe_in(const nlohmann::json &record, bool latin1);
GlobalState global_in(const nlohmann::json &record, bool latin1);
std::string keys_in(const nlohmann::json &record, bool latin1);
std::string values_in(const nlohmann::json &record, bool latin1);

}  // namespace tapir::live
