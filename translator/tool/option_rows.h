// SPDX-License-Identifier: GPL-2.0-or-later
// A tool's options as the rows of a list, the script's before those that every tool has.
#pragma once

#include <string>
#include <vector>

#include "tool/driver_options.h"
#include "tool/head.h"

namespace tapir::tool {

struct Row {
    std::string letter;     // "-m", or ""
    std::string name;       // "--min"; a word's is its metavar
    std::string metavar;    // "TIME", or ""
    bool may_lack = false;  // the value may be left out
    std::string help;       // with the default
};

struct Section {
    std::string title;
    std::vector<Row> rows;
};
// Sections without rows are left out.
std::vector<Section> sections(const Head &head);

// "offcpu [options] POINT..."
std::string synopsis(const Head &head);

// A default as a user would write it; "" for one that means "not given".
std::string shown_default(const Option &option);

}  // namespace tapir::tool
