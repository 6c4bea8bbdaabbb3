// SPDX-License-Identifier: GPL-2.0-or-later
// Names of the code that calls of other objects' functions go through: the procedure linkage table (System V ABI,
// generic part, chapter 5). No symbols are kept of it: an entry jumps through an address whose relocation names the
// function.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "unwind/elf_file.h"

namespace tapir::unwind {

constexpr std::string_view kLinkageSuffix = "@plt";

struct LinkageSymbol {
    uint64_t address = 0;  // as linked
    uint64_t bytes = 0;
    std::string name;  // "malloc@plt"; the section's name for code outside of entries
};

// The name of the symbol at an address, or "".
using NameAt = std::function<std::string_view(uint64_t address)>;

// Ascending within each section. `name_at` is asked for functions that are chosen at start (IFUNC): their relocations
// have the address of the code that chooses. Empty for machines whose tables are not known (arch/arch.h).
std::vector<LinkageSymbol> collect_linkage(const ElfFile &file, const NameAt &name_at);

}  // namespace tapir::unwind
