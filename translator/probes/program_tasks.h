// SPDX-License-Identifier: GPL-2.0-or-later
// Shared parts of the probes that have an event in each thread of a program.
#pragma once

#include <optional>

#include "probes/kinds.h"

namespace tapir::probes {

// The threads of a program, of any process; nothing for a library, which no process runs.
std::optional<ProgramTasks> find_tasks(const target::DebugObject &program);

// Writes a tapir_task_arg.
void write_tasks(const Attach &attach, const ProgramTasks &tasks, Arg &out);

}  // namespace tapir::probes
