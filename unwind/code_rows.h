// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of code that no unwind information speaks of, by its instructions (unwind/code_functions.h).
#pragma once

#include "unwind/elf_file.h"
#include "unwind/rules.h"

namespace tapir::unwind {

// Adds rows for code without any. Costs next to nothing if all code has some.
void add_rows_of_code(const ElfFile &file, RuleSet &rules, Rows &rows);

}  // namespace tapir::unwind
