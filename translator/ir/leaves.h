// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "ir/ir.h"

namespace tapir::ir {

// Finds the functions and handlers that need no context (`leaf`). Finds the functions in whose callees nothing can be
// probed (`untraced`), and the parts that handlers can try without a context first (`attempt`). Their bodies are
// lowered; those of leaves lose the error edges that they do not need. `arch` is the name that `uname -m` prints.
void find_leaves(Module &module, const std::string &arch);

}  // namespace tapir::ir
