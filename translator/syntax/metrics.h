// SPDX-License-Identifier: GPL-2.0-or-later
// @metric declares a global as a metric. Whether the global fits is known once types are (types/metrics.cc).
#pragma once

#include <array>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "syntax/token.h"

namespace tapir::syntax {

// Adds a metric to the file, and reports what is wrong with it. `parts`: name, kind, help and unit.
void declare_metric(ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                    const std::array<const Token *, 4> &parts, const std::vector<const Token *> &labels);

}  // namespace tapir::syntax
