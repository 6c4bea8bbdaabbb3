// SPDX-License-Identifier: GPL-2.0-or-later
// What user memory a handler is going to read, as far as that follows from registers and memory alone.
#pragma once

#include <string>
#include <vector>

#include "ast/ast.h"
#include "ir/ir.h"

namespace tapir::ir {

// For a handler of probes in programs: its memory accesses, and what it hands to functions, which may be the address of
// a string. Each once, in the order of the handler, at most a hundred. `programs` are those of the module.
std::vector<TouchStep> find_touches(const ast::Stmt &body, const std::vector<target::BuiltProgram> &programs);

}  // namespace tapir::ir
