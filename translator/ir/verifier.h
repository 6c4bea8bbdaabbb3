// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "ir/ir.h"

namespace tapir::ir {

// Describes the first wrong instruction: it lacks an operand that ops.def requires, has a result it cannot have, or
// goes to a missing label. "" if all are right.
std::string verify(const Module &module);

}  // namespace tapir::ir
