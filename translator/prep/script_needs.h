// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's and programs' debug information that a script needs, as far as its own probe points tell.
#pragma once

#include <string>
#include <vector>

#include "ast/ast.h"

namespace tapir::prep {

struct ScriptNeeds {
    std::vector<std::string> programs;  // names or paths of process("...") and .library("...")
    std::vector<std::string> modules;   // of module("..."), where they need debug information
    std::string reason;                 // the first probe point that needs debug information of the kernel, or ""
};

// Patterns are left out.
void add_needs(const ast::File &script, ScriptNeeds &needs);

}  // namespace tapir::prep
