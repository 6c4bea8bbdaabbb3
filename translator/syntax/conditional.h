// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions of %( condition %? ... %).
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "syntax/parser.h"
#include "syntax/token.h"

namespace tapir::syntax {

// Comparisons joined by && and ||, && binding tighter, without parentheses. A wrong one is reported (at `open` when
// there is no better place) and counts as false.
bool evaluate_condition(const std::vector<Token> &condition, const SourceRef &open, const PreprocessorFacts &facts,
                        Diagnostics &diagnostics);

}  // namespace tapir::syntax
