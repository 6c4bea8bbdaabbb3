// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "ir/ir.h"

namespace tapir::emit {

// The C text of a module. Deterministic. Includes only <tapir/tapir.h>, so that it compiles into a kernel module as
// well as into a process; gnu89 is enough.
std::string emit(const ir::Module &module);

}  // namespace tapir::emit
