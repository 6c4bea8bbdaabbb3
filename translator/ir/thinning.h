// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts whose hits are left out, in part, to keep their probes within a budget.
#pragma once

#include "ir/ir.h"

namespace tapir::ir {

// Marks the operations that count for the hits that were left out, too (`weighted`): samples, and numbers added to
// globals that such probes do nothing else with. Call it after lowering bodies and before finding leaves: a weight
// needs a context.
void find_weights(Module &module);

// Finds probes that hand elements of arrays to each other by the thread (`pair`, `follows`), as t[tid()] = ... in one
// and delete t[tid()] in another. A budget leaves out both or none.
void find_pairs(Module &module);

}  // namespace tapir::ir
