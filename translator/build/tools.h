// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the programs that building for a kernel takes are there and run.
#pragma once

#include <string>
#include <vector>

#include "build/compiler.h"
#include "target/kernel.h"

namespace tapir::build {

struct ToolProblem {
    std::string tool;  // "make", "objtool"
    std::string text;  // what is wrong with it, and what to do
};

// Runs each of them; empty when all is well. A compiler that only differs from the kernel's is none.
std::vector<ToolProblem> check_tools(const target::Kernel &kernel, const Compiler &compiler);

// What to install when `compiler` is missing or not the kernel's own.
std::string compiler_advice(const Compiler &compiler);

}  // namespace tapir::build
