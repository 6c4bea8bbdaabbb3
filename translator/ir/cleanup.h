// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "ir/ir.h"

namespace tapir::ir {

// Removes unreachable code, jumps to the next instruction, and unused labels. Private to ir/.
void clean_up(Body &body);

}  // namespace tapir::ir
