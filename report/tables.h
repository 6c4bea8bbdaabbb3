// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of tables that scripts declare (@table), printed again as staprun printed them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "common/outcome.h"

extern "C" {
#include "items/measures.h"
}

namespace tapir::report {

struct TableOptions {
    std::string form = "text";  // "text", "json", "csv"
    std::string name;           // "": all tables
    std::string sort;           // a column, with "-" in front reversed; "": the order in which rows were printed
    uint64_t top = 0;           // rows of each table; 0: all
    // Rows have cells that each of these matches. The syntax is that of the profile's.
    std::vector<std::string> match = {};
};

// Misuse: there is no such table or column.
Outcome<std::string> tables_text(const capture::Capture &capture, const TableOptions &options,
                                 const tapir_screen &screen);

// Why rows may be missing, with what to do; "": none are.
std::string rows_complaint(const capture::Capture &capture);

// The form that a file's name tells: "text" of any that tells none.
std::string form_of_file(const std::string &path);

}  // namespace tapir::report
