// SPDX-License-Identifier: GPL-2.0-or-later
// The report of stap --cost: a row for each probe point of the script.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/estimate.h"
#include "cost/rates.h"
#include "cost/ways.h"

namespace tapir::cost {

struct Row {
    std::string point;                // as the script has it
    std::vector<std::string> points;  // what it stands for, as ledgers have them
    std::string where;                // the handler: file:line:column
    Way way = Way::None;
    size_t places = 0;
    double around = 0;           // instructions around the handler, mean of its points
    Range handler;               // instructions
    std::optional<double> hits;  // a second, if known

    Range each() const { return Range{around, around, around} + handler; }
};

struct Report {
    Assumptions assumptions;
    std::vector<Row> rows;
    std::vector<std::string> unused;  // points of rates that the script does not probe
    bool given = false;               // rates were given

    bool has_rates() const;
    Range per_second() const;  // instructions, of the rows whose rates are known
    std::string text() const;
    std::string json(const std::string &script) const;
};

struct Subject {
    const ir::Module &module;
    Settings settings;
    double ticks = 250;  // of the kernel's clock a second
};

// Rates of timers and samples follow from the script, unless `rates` has them.
Report make_report(const Subject &subject, const Assumptions &assumptions, const std::vector<Rate> &rates);

}  // namespace tapir::cost
