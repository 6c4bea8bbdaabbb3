// SPDX-License-Identifier: GPL-2.0-or-later
// Where the parameters of a function are when it is entered, if its debug information does not say it.
#pragma once

#include <vector>

#include "target/debug_info.h"

namespace tapir::target {

// Compilers lose what is before a function's first statement, or describe only what its body uses; the caller has put
// the arguments where the ABI says. In the order of dwarf::parameters_of(); none where the function at the site may be
// called in another way, and where the debug information has a parameter in another register than the ABI.
std::vector<ctypes::Place> entry_arguments(const DebugObject &object, const dwarf::CodeSite &site);

}  // namespace tapir::target
