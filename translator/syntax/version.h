// SPDX-License-Identifier: GPL-2.0-or-later
// Meanings that differ in older versions of the language.
#pragma once

#include <string>

#include "ast/ast.h"
#include "base/diagnostics.h"

namespace tapir::syntax {

// Makes a parsed file mean what it does in `version`, the language level of --compatible; with `warn`, reports what
// would mean something else in an older one.
void apply_version(ast::File &file, const std::string &version, bool warn, Diagnostics &diagnostics);

}  // namespace tapir::syntax
