// SPDX-License-Identifier: GPL-2.0-or-later
// C at the top level of a script.
#pragma once

#include <string>

#include "base/source.h"

namespace tapir::ast {

struct EmbeddedCode {
    SourceRef at;
    std::string code;
};

}  // namespace tapir::ast
