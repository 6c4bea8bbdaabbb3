// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "ir/ir.h"

namespace tapir::ir {

// Removes what no path reaches, jumps to the next instruction, and labels nobody goes to. Private to ir/.
void clean_up(Body &body);

}  // namespace tapir::ir
