// SPDX-License-Identifier: GPL-2.0-or-later
// What a script on a core file or a snapshot cannot do: it is not in the kernel, and nothing can be changed.
#pragma once

#include <span>
#include <string_view>

#include "base/diagnostics.h"
#include "resolve/program.h"

namespace tapir::resolve {

// Reports calls of functions that ask the running kernel or the hit, reads of the kernel's memory, and writes.
// `lives`: a process that lives is looked at, not a core file.
void check_still(const Program &program, bool lives, Diagnostics &diagnostics);

// Points were left out because nothing runs meanwhile: reports it, and is true, if nothing but begin, end and error is
// left of the script.
bool report_only_unhit(const Program &program, bool lives, Diagnostics &diagnostics);
// "nothing runs in a core", and the like.
std::string_view nothing_runs(bool lives);

// What embedded C may call of the runtime and the port, by what a dead process can answer. Each function of
// tapir/port.h is in one of the lists.
std::span<const std::string_view> kernel_calls();   // the running kernel, or what was hit: refused
std::span<const std::string_view> machine_calls();  // the machine that analyses
std::span<const std::string_view> remains_calls();  // the core and the script itself

// Does embedded C call one of kernel_calls()? The first, or "".
std::string_view kernel_call_in(std::string_view c_text);

}  // namespace tapir::resolve
