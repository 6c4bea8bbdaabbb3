// SPDX-License-Identifier: GPL-2.0-or-later
// Makes small ELF files for tests.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tapir::build {

struct FixtureSection {
    std::string name;
    uint32_t type;
    std::string bytes;
};

// A relocatable file with these sections and a section name table.
inline std::string make_elf(std::vector<FixtureSection> sections) {
    sections.insert(sections.begin(), {"", SHT_NULL, ""});
    sections.push_back({".shstrtab", SHT_STRTAB, ""});
    std::string names(1, '\0');
    std::vector<Elf64_Shdr> headers;
    for (const FixtureSection &section : sections) {
        Elf64_Shdr header{};
        header.sh_name = static_cast<uint32_t>(names.size());
        header.sh_type = section.type;
        names += section.name + '\0';
        headers.push_back(header);
    }
    sections.back().bytes = names;
    std::string file(sizeof(Elf64_Ehdr), '\0');
    for (size_t i = 1; i < sections.size(); i++) {
        headers[i].sh_offset = file.size();
        headers[i].sh_size = sections[i].bytes.size();
        file += sections[i].bytes;
    }
    Elf64_Ehdr start{};
    std::memcpy(start.e_ident, ELFMAG, SELFMAG);
    start.e_ident[EI_CLASS] = ELFCLASS64;
    start.e_ident[EI_DATA] = ELFDATA2LSB;
    start.e_shoff = file.size();
    start.e_shentsize = sizeof(Elf64_Shdr);
    start.e_shnum = static_cast<uint16_t>(headers.size());
    start.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
    file.append(reinterpret_cast<const char *>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
    std::memcpy(file.data(), &start, sizeof start);
    return file;
}

}  // namespace tapir::build
