// SPDX-License-Identifier: GPL-2.0-or-later
// A table that a script declares: what the columns of its rows are.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"

namespace tapir::ast {

// @table(NAME, COLUMN...)
struct Table {
    struct Column {
        std::string text;                 // as written: "p99: ms of a device"
        std::string name, unit, subject;  // unit and subject may be ""
        bool is_text = false;             // by its unit
    };
    SourceRef at;
    std::string name;
    std::vector<Column> columns;
};

}  // namespace tapir::ast
