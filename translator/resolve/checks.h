// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of use that need every name resolved.
#pragma once

#include "base/diagnostics.h"
#include "resolve/program.h"

namespace tapir::resolve {

// break and continue outside loops; arrays changed while a foreach goes over them, also through function calls;
// malformed regular expressions.
void check_rules(const Program &program, Diagnostics &diagnostics);

}  // namespace tapir::resolve
