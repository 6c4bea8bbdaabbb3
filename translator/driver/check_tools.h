// SPDX-License-Identifier: GPL-2.0-or-later
// stap run --check-all: whether each tool's probe points are there on a kernel.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

struct ToolVerdict {
    enum class State : uint8_t { Resolved, Missing, Unchecked };
    std::string name;
    State state = State::Unchecked;
    size_t points = 0;   // probe points that were found
    std::string reason;  // of Missing and Unchecked
};

// Resolves the probe points of every tool in the directories, for the kernel and with the tapsets of the options, in
// as many processes as there are processors. Nothing is built and nothing runs. Sorted by name.
std::vector<ToolVerdict> check_tools(const Options &options, const std::vector<std::string> &directories);

// A line for each tool, and their numbers.
std::string verdicts_text(const std::vector<ToolVerdict> &verdicts, const std::string &release);

}  // namespace tapir::driver
