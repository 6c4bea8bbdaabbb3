// SPDX-License-Identifier: GPL-2.0-or-later
// The reference's entries on aliases that are written for system calls: one for calls, one for returns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "docs/catalogue.h"
#include "docs/variables.h"
#include "library/library.h"

namespace tapir::docs {

// `kernel`: whose calls they are; null when the library's tables alone say so. Empty if there are none.
std::vector<Entry> describe_system_calls(library::Library &library,
                                         const std::map<std::string, AliasVariables> &variables,
                                         const target::Kernel *kernel);

}  // namespace tapir::docs
