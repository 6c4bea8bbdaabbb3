// SPDX-License-Identifier: GPL-2.0-or-later
// A metric that a script declares: a global whose value monitoring systems read (@metric).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"

namespace tapir::ast {

// @metric(NAME, KIND, HELP, UNIT, LABEL...)
struct Metric {
    enum class Kind : uint8_t { Counter, Gauge, Histogram };
    SourceRef at;
    SourceRef name_at;
    std::string name;  // of the global
    Kind kind = Kind::Gauge;
    std::string help, unit;           // the unit may be ""
    std::vector<std::string> labels;  // of the keys
};

std::string_view metric_kind_name(Metric::Kind kind);  // "counter" ...

}  // namespace tapir::ast
