// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code of Go's runtime whose own unwind information misleads a walk: where a goroutine, a thread and the program begin,
 * which functions run others on another stack, and how a signal handler returns.
 *
 * The runtime's assembly has had the same names since it was translated to Go. Places within a function are recognised
 * by its instructions.
 */
#pragma once

#include "unwind/elf_file.h"
#include "unwind/go_functions.h"
#include "unwind/rules.h"

namespace tapir::unwind {

// Changes the rows of a program of Go, by its symbols or, where these were stripped off, by its `functions`; of others
// nothing.
void correct_go_rows(const ElfFile &file, const std::vector<GoFunction> &functions, RuleSet &rules, Rows &rows);

}  // namespace tapir::unwind
