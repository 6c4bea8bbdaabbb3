// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "ir/ir.h"

namespace tapir::ir {

// Finds the handlers that timers may run in the session's thread (`report`). They go through an array, which delays no
// task there, and use nothing of the interrupted place. Call it after lowering bodies and finding leaves.
void find_reports(Module &module);

}  // namespace tapir::ir
