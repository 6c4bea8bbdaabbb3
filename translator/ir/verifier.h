// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "ir/ir.h"

namespace tapir::ir {

// The first instruction that lacks an operand that ops.def says it has, has a result it cannot have, or goes to a label
// that is not there, in words; "" if there is none.
std::string verify(const Module &module);

}  // namespace tapir::ir
