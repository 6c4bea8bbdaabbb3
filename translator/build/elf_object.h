// SPDX-License-Identifier: GPL-2.0-or-later
// The little that building needs to know about ELF files (64-bit, of this machine's byte order).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::build {

struct ElfSection {
    std::string_view name;
    uint32_t type;          // SHT_*
    uint32_t link;          // sh_link
    uint64_t offset, size;  // in the file; sections without bytes there are left out
};

// Sections of a file, whose bytes must outlive them; empty when it is not a whole 64-bit ELF file.
std::vector<ElfSection> elf_sections(std::string_view elf);

struct ElfSymbols {
    std::set<std::string, std::less<>> defined;    // global or weak, with a section
    std::set<std::string, std::less<>> undefined;  // not weak
};

ElfSymbols elf_symbols(std::string_view elf);

}  // namespace tapir::build
