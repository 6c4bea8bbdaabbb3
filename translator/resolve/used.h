// SPDX-License-Identifier: GPL-2.0-or-later
// The declarations that become part of the program, and oddities of those that do or do not.
#pragma once

#include <set>
#include <vector>

#include "resolve/declarations.h"
#include "resolve/elaborate.h"
#include "resolve/names.h"

namespace tapir::resolve {

// The sources of the list.
struct UsedFrom {
    const std::vector<ast::File *> &user;  // the script's own files
    Declarations &declarations;
    const NameContext &names;
    const ElaborateOptions &options;
    Diagnostics &diagnostics;
    const std::set<const ast::Variable *> &assigned;  // also by code that was dropped since
};

// Adds to the program the globals, functions and embedded C that are used, with their unique names: those in `used`,
// to which the globals that -G assigns are added. Reports globals that are not used, never assigned, or not arrays
// though declared as such.
void list_used(const UsedFrom &from, std::set<const void *> &used, Program &program);

}  // namespace tapir::resolve
