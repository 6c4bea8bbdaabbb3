// SPDX-License-Identifier: GPL-2.0-or-later
// Shared parts of the probe points of programs: process, process("path"), process(PID), each also with
// .library("path").
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/kinds.h"

namespace tapir::probes {

// The program of a point, before its place.
struct Where {
    const ast::PointComponent *process;
    const ast::PointComponent *library = nullptr;
    int64_t pid = UserCode::kAll;
};

// Every way to name a program, followed by each of `places`: "process(string).library(string).mark(string)".
class ProgramForms {
  public:
    explicit ProgramForms(std::span<const std::string_view> places);
    std::span<const Form> list() const { return forms_; }

  private:
    std::vector<std::string> texts_;
    std::vector<Form> forms_;
};

// The point has one of these forms. `at` becomes the number of the component after the program.
Where read_program(const ast::ProbePoint &point, size_t &at);

// Opens and returns the files that a point's program, or its library, can be. Files of a pattern that are not programs
// are left out. Empty after a report.
std::vector<const target::DebugObject *> find_program_files(Where &where, const ResolveContext &context);

// The processes that a probe of processes wants, not of code in them: the component is process, process("path") or
// process(PID).
struct Processes {
    UserCode code;
    const target::DebugObject *program = nullptr;  // the program that they run; null: any
    bool from_wildcard = false;
    std::string prefix;  // how a point names them: "process(\"/bin/sh\")."
};
// One for each file of a path; empty after a report. `one_program`: process without a path is the target and none of
// its descendants, so that types and variables are those of its program.
std::vector<Processes> find_processes(const ast::PointComponent &process, const ResolveContext &context,
                                      bool one_program);

// How a point names a file: "process(\"/bin/sh\").".
std::string program_prefix(const Where &where, const target::DebugObject &object);

}  // namespace tapir::probes
