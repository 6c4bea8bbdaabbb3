// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers that wait for the next event of their target, look at it, and end the session.
#pragma once

#include <vector>

#include "ast/ast.h"

namespace tapir::resolve {

// True if a handler looks at the target's memory whenever any event of it hits, and then ends the session. Such a
// handler calls target() and exit(), itself or by functions of `script`, and asks nothing of the place: neither
// variables there nor arguments of a function. Names are not resolved yet.
bool takes_any_event(const ast::Stmt &body, const std::vector<ast::File *> &script);

}  // namespace tapir::resolve
