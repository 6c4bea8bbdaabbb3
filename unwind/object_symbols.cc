// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/object_symbols.h"

#include <elf.h>

#include <algorithm>
#include <limits>

#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

struct Candidate {
    uint32_t place, size;
    uint8_t rank;  // lower is better
    std::string_view name;
};

uint8_t rank_of(const Elf64_Sym &symbol, std::string_view name) {
    const unsigned binding = ELF64_ST_BIND(symbol.st_info), type = ELF64_ST_TYPE(symbol.st_info);
    unsigned rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
    if (type == STT_NOTYPE) rank += 4;
    return static_cast<uint8_t>(rank * 4 + std::min<size_t>(name.find_first_not_of('_'), 3));
}

bool is_wanted(const Elf64_Sym &symbol) {
    switch (ELF64_ST_TYPE(symbol.st_info)) {
        case STT_FUNC:
        case STT_GNU_IFUNC:
        case STT_OBJECT:
            return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
        case STT_NOTYPE:
            // Labels of assembly code.
            return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE;
    }
    return false;
}

void read_table(const ElfFile &owner, const Section &section, const ElfFile &file, std::vector<Candidate> &found) {
    if (section.link >= owner.sections().size()) return;
    Bytes in(owner.content(section));
    const std::string_view names = owner.content(owner.sections()[section.link]);
    while (in.size() - in.at() >= sizeof(Elf64_Sym)) {
        const Elf64_Sym symbol = in.fixed<Elf64_Sym>();
        if (!is_wanted(symbol)) continue;
        const std::optional<uint64_t> place = file.place_of(symbol.st_value);
        if (!place || *place > std::numeric_limits<uint32_t>::max()) continue;
        Bytes text(names);
        text.seek(symbol.st_name);
        // Without the version, "name@@GLIBC_2.34".
        const std::string_view whole = text.string(), name = whole.substr(0, whole.find('@'));
        // Mapping symbols of AArch64 and the like.
        if (name.empty() || name[0] == '$') continue;
        const uint64_t size = std::min<uint64_t>(symbol.st_size, std::numeric_limits<uint32_t>::max() - *place);
        found.push_back({static_cast<uint32_t>(*place), static_cast<uint32_t>(size), rank_of(symbol, name), name});
    }
}

Symbols sorted(std::vector<Candidate> found) {
    std::stable_sort(found.begin(), found.end(), [](const Candidate &a, const Candidate &b) {
        return a.place != b.place ? a.place < b.place : a.rank < b.rank;
    });
    Symbols symbols;
    symbols.names.push_back('\0');
    for (const Candidate &one : found) {
        if (!symbols.rows.empty() && symbols.rows.back().place == one.place) {
            // An alias may know the size.
            if (!symbols.rows.back().size) symbols.rows.back().size = one.size;
            continue;
        }
        if (symbols.names.size() + one.name.size() >= std::numeric_limits<uint32_t>::max() / 2) break;
        symbols.rows.push_back({one.place, one.size, static_cast<uint32_t>(symbols.names.size())});
        symbols.names += one.name;
        symbols.names += '\0';
    }
    return symbols;
}

}  // namespace

Symbols collect_symbols(const ElfFile &file, DebugFile &debug) {
    std::vector<Candidate> found;
    const Section *section = file.section(".symtab");
    if (section) {
        read_table(file, *section, file, found);
    } else if (const ElfFile *other = debug.get()) {
        section = other->section(".symtab");
        if (section) read_table(*other, *section, file, found);
    }
    // Symbols that other objects refer to are all that is left.
    if (found.empty()) {
        section = file.section(".dynsym");
        if (section) read_table(file, *section, file, found);
    }
    return sorted(std::move(found));
}

}  // namespace tapir::unwind
