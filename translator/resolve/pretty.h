// SPDX-License-Identifier: GPL-2.0-or-later
// Whole C objects as text: $x$, $x$$.
#pragma once

#include "resolve/access.h"
#include "resolve/synthesis.h"

namespace tapir::resolve {

// A string expression that shows `object`: "{.a=1, .b={...}}", 17, "text", 'c', 0xffff888003c84000.
//
// Strings of Go and Rust are shown as text, their slices as arrays: "[1, 2, ...]".
//
// A pointer to a structure shows the structure, one to characters shows the string; other pointers are shown as
// numbers. Of arrays there are at most five elements, of a whole at most 32 values. `full` shows structures and arrays
// within others too, which are "{...}" and "[...]" otherwise. What cannot be read makes the whole "ERROR" when it is
// evaluated; a value of a type that has no text is "?".
ast::ExprPtr pretty(Reached object, bool full, bool user, const target::Scope *scope, const SourceRef &at,
                    Synthesis &synthesis);

}  // namespace tapir::resolve
