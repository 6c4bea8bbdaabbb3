// SPDX-License-Identifier: GPL-2.0-or-later
// The abilities of a back end, for pass 2: which points are hit, and what handlers can ask, read and write.
#pragma once

#include <span>
#include <string_view>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/port_calls.h"
#include "resolve/program.h"

namespace tapir::resolve {

// The defaults are a kernel module's, which reaches everything.
struct Reach {
    std::string_view runtime = "kernel";  // the preprocessor's word for it

    // False for points that are never hit; null: all others are.
    bool (*hits)(const ast::ProbePoint &point) = nullptr;
    std::string_view nothing_runs;  // why no event occurs: "nothing runs in a core"; "": events occur
    // The probe that looks at the subject where no event occurs: "process.snapshot" or "begin"; "": none does.
    std::string_view looks_by;

    std::span<const PortNeed> lacks;  // needs of port functions that are not met
    std::string_view asked;           // of whom such a function asks: "the running kernel"
    std::string_view none;            // why that fails: "a core has none"
    bool reads_kernel = true, reads_user = true;
    std::string_view why_unwritable;  // of memory; "": it is writable

    // True if events occur during the run.
    bool has_events() const { return nothing_runs.empty(); }
    bool looks_at_process() const { return looks_by == "process.snapshot"; }
    // True if some functions are refused, or some memory is.
    bool is_limited() const { return !lacks.empty() || !reads_kernel || !reads_user || !why_unwritable.empty(); }
};

// Reports calls of functions that need what the back end lacks, reads of such memory, and writes that it refuses.
void check_reach(const Program &program, const Reach &reach, Diagnostics &diagnostics);

// Some points were left out because no event occurs. Reports it, and is true, if only begin, end and error are left of
// the script.
bool report_only_unhit(const Program &program, const Reach &reach, Diagnostics &diagnostics);

// Returns the first refused function that embedded C calls, or "".
std::string_view refused_call_in(std::string_view c_text, const Reach &reach);

}  // namespace tapir::resolve
