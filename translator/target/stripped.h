// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that lost their symbol tables.
#pragma once

#include <string>

#include "target/debug_info.h"

namespace tapir::target {

// True if neither the file nor a debug file of it has a symbol table: it names only its exports, if anything. False for
// programs of Go whose functions Go's runtime names.
bool is_stripped(const DebugObject &program);

// True if the section header table, and so the symbols, lie behind the file's end. False for a file without such a
// table.
bool is_cut_off(const DebugObject &program);

// Where the names of a stripped program can be had.
std::string names_of_stripped(const DebugObject &program);

}  // namespace tapir::target
