// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "ast/ast.h"

namespace tapir::library {

// Has the probe points of a file below PATH/ mean its program: `process` becomes process("/usr/bin/cat"), and a name
// without a slash, process("tac"), is in the same directory: process("/usr/bin/tac").
void speak_of_program(ast::File &file, const std::string &program);

}  // namespace tapir::library
