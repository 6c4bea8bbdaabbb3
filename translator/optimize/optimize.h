// SPDX-License-Identifier: GPL-2.0-or-later
// Simplifies the typed tree before it is lowered. Scripts cannot observe a change, except that an operator with an
// unused result is not evaluated (and cannot fail).
#pragma once

#include <cstddef>

#include "base/diagnostics.h"
#include "resolve/program.h"

namespace tapir::optimize {

struct OptimizeOptions {
    bool unoptimized = false;      // -u: change nothing
    size_t string_capacity = 512;  // MAXSTRINGLEN
};

void run(resolve::Program &program, const OptimizeOptions &options, Diagnostics &diagnostics);

}  // namespace tapir::optimize
