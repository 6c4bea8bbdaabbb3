// SPDX-License-Identifier: GPL-2.0-or-later
// The tracepoints of a kernel: the places that its authors marked for tracing, with the arguments they chose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

struct Tracepoint {
    std::string system;       // "sched"; "" when it has none or it could not be found out
    std::string name;         // "sched_switch"
    std::string module = {};  // that has it; "": the kernel itself

    // "sched:sched_switch", or the bare name.
    std::string label() const { return system.empty() ? name : system + ":" + name; }
};

// Where the systems of tracepoints may be found. Empty members are not tried.
struct TracepointSources {
    std::string release;
    std::string root;       // prefix of /sys and /lib
    std::string build_dir;  // headers
    bool running = false;   // this kernel runs here: ask tracefs first
};

// Tracepoints of these names with their systems, sorted by name. BTF and DWARF do not know systems: they come from
// tracefs of the running kernel, else from the headers in which tracepoints are declared, which leaves those declared
// beside their drivers out.
std::vector<Tracepoint> find_systems(std::vector<std::string> names, const TracepointSources &sources);

// Appends to `found` the `names` (sorted) that the event macros of a header declare.
void read_trace_header(std::string_view text, const std::vector<std::string> &names, std::vector<Tracepoint> &found);

}  // namespace tapir::target
