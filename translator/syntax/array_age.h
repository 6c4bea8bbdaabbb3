// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "syntax/token.h"

namespace tapir::syntax {

// The age of an array's elements in ns, as a declaration has it ("60s"). What is wrong is reported.
int64_t read_array_age(const Token &time, Diagnostics &diagnostics);

}  // namespace tapir::syntax
