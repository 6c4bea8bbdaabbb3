// SPDX-License-Identifier: GPL-2.0-or-later
// The optimizer's passes; private to optimize/.
#pragma once

#include "optimize/optimize.h"

namespace tapir::optimize {

// Replaces constant expressions by their value.
void fold(ast::ExprPtr &expr, const OptimizeOptions &options);

}  // namespace tapir::optimize
