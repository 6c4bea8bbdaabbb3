// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers that wait for whatever their target does next, look at it, and end the session.
#pragma once

#include <vector>

#include "ast/ast.h"

namespace tapir::resolve {

// Does a handler look at the target's memory whenever anything of it is hit, and end the session then? Such a handler
// calls target() and exit(), itself or by functions of `script`, and asks nothing of the place: neither variables
// there nor what a function was called with. Names are not resolved yet.
bool takes_any_event(const ast::Stmt &body, const std::vector<ast::File *> &script);

}  // namespace tapir::resolve
