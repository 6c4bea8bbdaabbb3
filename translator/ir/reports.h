// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "ir/ir.h"

namespace tapir::ir {

// Finds the handlers that timers may run in the session's thread (`report`): they go through an array, which there
// delays nobody, and ask nothing of the place where the timer interrupts. Bodies are lowered, leaves known.
void find_reports(Module &module);

}  // namespace tapir::ir
