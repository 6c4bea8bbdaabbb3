// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the user memory that a handler will read, as far as registers and memory alone determine it.
#pragma once

#include <string>
#include <vector>

#include "ast/ast.h"
#include "ir/ir.h"

namespace tapir::ir {

// Finds the memory accesses of a handler of probes in programs, and its arguments of functions, which may be addresses
// of strings. Each once, in the order of the handler, at most a hundred. `programs` are those of the module.
std::vector<TouchStep> find_touches(const ast::Stmt &body, const std::vector<target::BuiltProgram> &programs);

}  // namespace tapir::ir
