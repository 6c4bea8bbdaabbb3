// SPDX-License-Identifier: GPL-2.0-or-later
// The results of operators on numbers that are known at translation: the same as at run time.
#pragma once

#include <cstdint>
#include <optional>

#include "ast/ast.h"

namespace tapir::ast {

// Nothing where the script must fail at run time: a division by 0.
std::optional<int64_t> compute(BinaryOp op, int64_t a, int64_t b);
int64_t compute(UnaryOp op, int64_t a);
// `order` is negative, 0 or positive: what is on the left is less, equal or greater.
bool holds(CompareOp op, int order);

}  // namespace tapir::ast
