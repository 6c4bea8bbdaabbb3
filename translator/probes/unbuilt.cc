// SPDX-License-Identifier: GPL-2.0-or-later
// Probe points that scripts use and that no kind implements yet, so that they are refused by name instead of being
// unknown.
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kPython =
    "functions of Python programs cannot be probed by name; where the interpreter has DTrace marks, "
    "python.function.entry "
    "and python.function.return are hit for all of them";
constexpr std::string_view kJava = "methods of Java programs cannot be probed";

constexpr Form kUnbuiltForms[] = {
    {"java(string).**", kJava},
    {"java(number).**", kJava},
    {"python2.**", kPython},
    {"python3.**", kPython},
    {"kernel.mark(string).**", "kernel markers are not supported yet"},
    {"module(string).**", "functions of kernel modules are not supported yet"},
    {"process.**", "this probe of processes is not supported yet"},
    {"process(string).**", "this probe of processes is not supported yet"},
    {"process(number).**", "this probe of processes is not supported yet"},
};

// Never called: all forms are refused.
void resolve_unbuilt(const ast::ProbePoint &, size_t, const ResolveContext &, std::vector<Attach> &) {}

}  // namespace

const KindOps kUnbuilt = {.forms = kUnbuiltForms, .resolve = resolve_unbuilt};

}  // namespace tapir::probes
