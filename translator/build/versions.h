// SPDX-License-Identifier: GPL-2.0-or-later
// Symbol versions for what only a user's embedded C imports from the kernel: the template's own imports come with
// theirs.
#pragma once

#include <string>
#include <vector>

#include "target/exports.h"

namespace tapir::build {

// C text of an object that carries the versions (if `with_crcs`) and imports the namespaces of these symbols.
std::string version_source(const std::vector<target::Export> &exports, bool with_crcs);

}  // namespace tapir::build
