// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/elf_object.h"

#include <elf.h>

#include <cstring>

namespace tapir::build {
namespace {

// The NUL-terminated text at an offset, "" if it does not end inside the file.
std::string_view text_at(std::string_view elf, uint64_t offset) {
    if (offset >= elf.size()) return "";
    std::string_view rest = elf.substr(offset);
    size_t end = rest.find('\0');
    return end == std::string_view::npos ? "" : rest.substr(0, end);
}

}  // namespace

// Indexes of the result are not section numbers: sections without bytes are missing.
std::vector<ElfSection> elf_sections(std::string_view elf) {
    std::vector<ElfSection> sections;
    Elf64_Ehdr header;
    if (elf.size() < sizeof header) return sections;
    std::memcpy(&header, elf.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
        return sections;
    std::vector<Elf64_Shdr> headers(header.e_shnum);
    if (header.e_shoff > elf.size() || elf.size() - header.e_shoff < headers.size() * sizeof(Elf64_Shdr))
        return sections;
    std::memcpy(headers.data(), elf.data() + header.e_shoff, headers.size() * sizeof(Elf64_Shdr));
    uint64_t names = headers[header.e_shstrndx].sh_offset;
    for (const Elf64_Shdr &one : headers) {
        if (one.sh_type == SHT_NOBITS || one.sh_type == SHT_NULL || one.sh_offset > elf.size() ||
            elf.size() - one.sh_offset < one.sh_size)
            continue;
        sections.push_back({text_at(elf, names + one.sh_name), one.sh_type, one.sh_link, one.sh_offset, one.sh_size});
    }
    return sections;
}

ElfSymbols elf_symbols(std::string_view elf) {
    ElfSymbols symbols;
    for (const ElfSection &table : elf_sections(elf)) {
        if (table.type != SHT_SYMTAB) continue;
        Elf64_Ehdr header;
        std::memcpy(&header, elf.data(), sizeof header);
        if (table.link >= header.e_shnum) continue;
        Elf64_Shdr strings;
        std::memcpy(&strings, elf.data() + header.e_shoff + table.link * sizeof strings, sizeof strings);
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, elf.data() + table.offset + at, sizeof symbol);
            std::string name(text_at(elf, strings.sh_offset + symbol.st_name));
            int binding = ELF64_ST_BIND(symbol.st_info);
            if (name.empty() || binding == STB_LOCAL) continue;
            if (symbol.st_shndx != SHN_UNDEF)
                symbols.defined.insert(name);
            else if (binding != STB_WEAK)
                symbols.undefined.insert(name);
        }
    }
    return symbols;
}

}  // namespace tapir::build
