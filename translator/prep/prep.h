// SPDX-License-Identifier: GPL-2.0-or-later
// stap-prep: says what is missing to build scripts, and installs it.
#pragma once

#include <string>

#include "prep/needs.h"

namespace tapir::prep {

// Lists all that is there or missing, with sizes. `fetchable` gets the packages.
std::string describe(const Needs &needs, std::vector<std::string> &fetchable);

int run(const PrepOptions &options);

}  // namespace tapir::prep
