// SPDX-License-Identifier: GPL-2.0-or-later
// The operators that begin with "@" and the print family, by name.
#pragma once

#include <optional>
#include <string_view>

#include "ast/ast.h"

namespace tapir::syntax {

// The grammar's token for "@cast" and the like; nothing for other words.
std::optional<int> at_operator(std::string_view word);

// "@count" to its operator; only for operators that make a number of a statistic.
ast::StatOpKind stat_operator(std::string_view word);

}  // namespace tapir::syntax
