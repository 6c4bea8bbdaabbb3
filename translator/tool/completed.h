// SPDX-License-Identifier: GPL-2.0-or-later
// A tool's options as shells complete them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tool/head.h"

namespace tapir::tool {

enum class Values : uint8_t { None, Any, Files, Pids, Choices };

struct Completed {
    std::string letter;  // without its dash, or ""
    std::string name;    // without dashes
    Values values = Values::None;
    bool may_lack = false;
    std::vector<std::string> choices = {};
    std::string help;
    std::string metavar = {};  // of an option that every tool has
};

// The options of the script, and those that every tool has.
std::vector<Completed> completed(const Head &head);

Values values_of(const Option &option);

}  // namespace tapir::tool
