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

// Waits until the program has ended and its collected streams are closed at the other end. Faults are those of
// Process::start(). Otherwise the program was killed, with its children if it has a group of its own: ProgramTimeLimit,
// ProgramOutputLimit (of Collected) or ProgramGivenUp. The collected text is there in any case.
Outcome<Ending> run_program(const Program &program, const RunLimits &limits = {});

// Runs a program for its standard output, without input and in the C locale. Faults as above, or ProgramFailed: its
// text is the last line of the program's complaints, or how it ended.
Outcome<std::string> output_of(const std::vector<std::string> &argv, const std::string &directory = {},
                               const RunLimits &limits = {});

}  // namespace tapir
