// SPDX-License-Identifier: GPL-2.0-or-later
// Restrictions of scripts on a core file, a snapshot or a kernel's memory: they do not run in the kernel, and cannot
// change anything.
#pragma once

#include <string_view>

#include "base/diagnostics.h"
#include "resolve/program.h"
#include "target/core_programs.h"

namespace tapir::resolve {

// Reports calls of functions that need missing things, reads of such memory, and writes. Missing are the running kernel
// or the hit, and, for a kernel's memory, processes.
void check_still(const Program &program, target::StillKind kind, Diagnostics &diagnostics);

// Points were left out because nothing runs meanwhile: reports it, and is true, if nothing but begin, end and error is
// left of the script.
bool report_only_unhit(const Program &program, target::StillKind kind, Diagnostics &diagnostics);
// "nothing runs in a core", and the like.
std::string_view nothing_runs(target::StillKind kind);

// Returns the first refused function that embedded C calls, or "".
std::string_view refused_call_in(std::string_view c_text, target::StillKind kind);

}  // namespace tapir::resolve
