// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that are run to their end.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "common/process.h"

namespace tapir {

struct RunLimits {
    std::chrono::milliseconds time{0};  // 0 = none
    // Asked several times a second, and when something was collected; true ends the program. May be empty.
    std::function<bool()> give_up = {};
};

// Waits until it has ended and nobody has a stream open any more that is collected. Else there is a fault of
// Process::start(), or the program was killed, with what it had started if it has a group of its own: ProgramTimeLimit,
// ProgramOutputLimit (of Collected) or ProgramGivenUp. What was collected is there in any case.
Outcome<Ending> run_program(const Program &program, const RunLimits &limits = {});

// Runs a program that does one thing and says it: without input and in the C locale. Gives its standard output; faults
// as above, or ProgramFailed, the text of which is the last line of its complaints or how it ended.
Outcome<std::string> output_of(const std::vector<std::string> &argv, const std::string &directory = {},
                               const RunLimits &limits = {});

}  // namespace tapir
