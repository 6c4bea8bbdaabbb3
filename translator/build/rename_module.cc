// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/rename_module.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tapir::build {
namespace {

struct Section {
    std::string_view name;
    uint32_t type;
    uint64_t offset, size;
};

std::vector<Section> sections_of(std::string_view elf) {
    std::vector<Section> sections;
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
    const Elf64_Shdr &names = headers[header.e_shstrndx];
    for (const Elf64_Shdr &one : headers) {
        if (one.sh_type == SHT_NOBITS || one.sh_offset > elf.size() || elf.size() - one.sh_offset < one.sh_size)
            continue;
        uint64_t name = names.sh_offset + one.sh_name;
        if (name >= elf.size() || std::memchr(elf.data() + name, 0, elf.size() - name) == nullptr) return {};
        sections.push_back({elf.data() + name, one.sh_type, one.sh_offset, one.sh_size});
    }
    return sections;
}

}  // namespace

bool valid_module_name(std::string_view name) {
    auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && name.size() <= kMaxModuleName && !(name[0] >= '0' && name[0] <= '9') &&
           std::all_of(name.begin(), name.end(), good);
}

std::string rename_module(std::string &elf, std::string_view placeholder, std::string_view name) {
    if (name.size() > placeholder.size()) return "the name is too long";
    std::vector<Section> sections = sections_of(elf);
    if (sections.empty()) return "not a 64-bit ELF file";
    bool named = false;
    for (const Section &section : sections) {
        size_t end = section.offset + section.size;
        for (size_t at = section.offset; (at = elf.find(placeholder, at)) < end; at += name.size()) {
            if (at + placeholder.size() > end) break;
            size_t stop = at + placeholder.size();
            size_t tail = section.type == SHT_STRTAB ? stop : std::min(elf.find('\0', stop), end);
            size_t moved = tail - stop;
            std::memcpy(elf.data() + at, name.data(), name.size());
            std::memmove(elf.data() + at + name.size(), elf.data() + stop, moved);
            std::memset(elf.data() + at + name.size() + moved, 0, stop - at - name.size());
            named |= section.name == ".gnu.linkonce.this_module";
        }
    }
    return named ? "" : "struct module does not hold the placeholder name";
}

}  // namespace tapir::build
