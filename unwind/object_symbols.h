// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols of an object: one name per place, ascending.
#pragma once

#include <tapir/unwind.h>

#include <string>
#include <string_view>
#include <vector>

#include "unwind/debug_file.h"
#include "unwind/elf_file.h"

namespace tapir::unwind {

struct Symbols {
    std::vector<tapir_unwind_symbol> rows;
    std::string names;  // each with its NUL; begins with the empty one
};

// From .symtab, else from that of the object's separate debug file, else from .dynsym. Names are as in the file, not
// demangled. Of several for one place, a global one is taken before a weak and a local one, and a name without leading
// underscores first.
Symbols collect_symbols(const ElfFile &file, DebugFile &debug);

}  // namespace tapir::unwind
