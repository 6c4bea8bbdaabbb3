// SPDX-License-Identifier: GPL-2.0-or-later
// Source lines of an object's code: .debug_line of DWARF 2 to 5 (DWARF 5, section 6.2).
#pragma once

#include <tapir/unwind.h>

#include <string>
#include <vector>

#include "unwind/elf_file.h"

namespace tapir::unwind {

// In the order of their places; each is in force up to the next one's. Line 0: nothing is known from there on.
// Appends the names of files to `names`, each with its NUL. `debug` has the sections, `file` says which places
// addresses have; they may be the same. Units that make no sense are left out, as far as they do not.
std::vector<tapir_unwind_line> collect_lines(const ElfFile &file, const ElfFile &debug, std::string &names);

}  // namespace tapir::unwind
