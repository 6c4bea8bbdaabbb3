// SPDX-License-Identifier: GPL-2.0-or-later
// Types of the probed program on their way through a script: what lets `p = $file; p->f_pos` know what p points to.
#pragma once

#include "resolve/program.h"

namespace tapir::types {

// Sets Expr::target_type, Variable::target_type and Function::target_type from the expressions that have one already
// (made from $variables, @cast, @var). A type goes through assignments to local variables, through both arms of "?:"
// and through returns; not through parameters, global variables, arithmetic, or "+=" and the like. Numbers without a
// type do not disturb one (p = 0; p = $file); two different types leave none. Never fails; call it again after giving
// further expressions a type.
void carry_target_types(resolve::Program &program);

}  // namespace tapir::types
