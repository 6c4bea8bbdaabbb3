// SPDX-License-Identifier: GPL-2.0-or-later
// Orders the functions of one name that a call tries.
#pragma once

#include <vector>

#include "ast/ast.h"
#include "resolve/declarations.h"

namespace tapir::resolve {

// True when the body may execute "next" (STAP_NEXT in C) and so hand the call on.
bool may_fall_through(const ast::Function &function);

// Those of `named` with this many parameters, by priority (script 0, library 1, or as written), ties as given; ends
// with the first that cannot fall through.
std::vector<ast::Function *> overloads(const std::vector<ast::Function *> &named, size_t arguments,
                                       const Declarations &declarations);

// Is there a function for a call in `file`?
bool is_callable(const ast::Call &call, const ast::File &file, Declarations &declarations);

// The function that always answers instead of this one; null when calls can reach it.
const ast::Function *hidden_by(const ast::Function &function, Declarations &declarations);

}  // namespace tapir::resolve
