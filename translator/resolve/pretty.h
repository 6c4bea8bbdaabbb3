// SPDX-License-Identifier: GPL-2.0-or-later
// Whole C objects as text: $x$, $x$$.
#pragma once

#include "resolve/access.h"
#include "resolve/synthesis.h"

namespace tapir::resolve {

// Returns a string expression that shows `object`: "{.a=1, .b={...}}", 17, "text", 'c', 0xffff888003c84000.
//
// Strings of Go and Rust are shown as text, their slices as arrays: "[1, 2, ...]".
//
// A pointer to a structure shows the structure, one to characters shows the string; other pointers are shown as
// numbers. An array shows at most five elements, a whole object at most 32 values. `full` also shows structures and
// arrays within others, which are "{...}" and "[...]" otherwise. If a part cannot be read at the hit, the whole text is
// "ERROR"; a value of a type that has no text is "?".
ast::ExprPtr pretty(Reached object, bool full, bool user, const target::Scope *scope, const SourceRef &at,
                    Synthesis &synthesis);

}  // namespace tapir::resolve
