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

// A demangled name that is longer stays as it is in the file: strings of scripts hold the whole of neither cut name.
constexpr size_t kMaxDemangled = 400;

// Reads .symtab, or else that of the separate debug file, and .dynsym. Names of C++ and Rust are demangled, or with
// `mangled` as in the file.
//
// Among several symbols for one place the largest wins. Then a global one wins over a weak and a local one, then a name
// without leading underscores. A label outside of all sized symbols extends to the next symbol or the end of its
// section; other symbols of size 0 have no more than their place. Entries of the procedure linkage table have the name
// of the function that they call, "malloc@plt".
Symbols collect_symbols(const ElfFile &file, DebugFile &debug, bool mangled);

}  // namespace tapir::unwind
