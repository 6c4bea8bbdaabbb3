// SPDX-License-Identifier: GPL-2.0-or-later
// Checks that the programs for building for a kernel are there and run.
#pragma once

#include <string>
#include <vector>

#include "build/compiler.h"
#include "target/kernel.h"

namespace tapir::build {

struct ToolProblem {
    std::string tool;  // "make", "objtool"
    std::string text;  // the problem, and advice
};

// Runs each tool; empty if all is well. A compiler that merely differs from the kernel's is not a problem.
std::vector<ToolProblem> check_tools(const target::Kernel &kernel, const Compiler &compiler);

// Returns advice if `compiler` is missing or is not the kernel's own.
std::string compiler_advice(const Compiler &compiler);

}  // namespace tapir::build
