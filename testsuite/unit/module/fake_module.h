// SPDX-License-Identifier: GPL-2.0-or-later
// Module files for tests.
#pragma once

#include <elf.h>
#include <tapir/wire.h>

#include <cstring>
#include <string>
#include <vector>

#include "module/module_file.h"

namespace tapir {

#if defined(__x86_64__)
inline constexpr char kThisMachine[] = "x86_64";
#else
inline constexpr char kThisMachine[] = "aarch64";
#endif

// A relocatable file with just the sections that matter.
struct Builder {
    std::string modinfo = std::string("license=GPL\0tapir_abi=", 22) + std::to_string(TAPIR_ABI) +
                          std::string("\0name=stap_x\0vermagic=6.1.0-56-amd64 SMP preempt mod_unload \0", 62);
    std::string this_module = std::string(24, '\0') + "stap_x" + std::string(200, '\0');
    bool signature = false;
    std::vector<std::string> imports;
    Elf64_Half machine =
#if defined(__x86_64__)
        EM_X86_64;
#else
        EM_AARCH64;
#endif

    std::string build() const {
        const std::string names("\0.modinfo\0.gnu.linkonce.this_module\0.shstrtab\0.symtab\0.strtab\0", 62);
        Elf64_Sym own = {};
        own.st_name = 1;
        own.st_shndx = 1;
        std::string symbols(reinterpret_cast<const char *>(&own), sizeof own), symbol_names("\0init_module\0", 13);
        for (const std::string &import : imports) {
            Elf64_Sym symbol = {};
            symbol.st_name = static_cast<Elf64_Word>(symbol_names.size());
            symbols.append(reinterpret_cast<const char *>(&symbol), sizeof symbol);
            symbol_names += import + std::string(1, '\0');
        }
        Elf64_Ehdr header = {};
        memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_type = ET_REL;
        header.e_machine = machine;
        header.e_shentsize = sizeof(Elf64_Shdr);
        header.e_shnum = 6;
        header.e_shstrndx = 3;
        std::string body(sizeof header, '\0');
        Elf64_Shdr sections[6] = {};
        auto add = [&](int i, unsigned name, const std::string &content) {
            sections[i].sh_name = name;
            sections[i].sh_type = SHT_PROGBITS;
            sections[i].sh_offset = body.size();
            sections[i].sh_size = content.size();
            body += content;
        };
        add(1, 1, modinfo);
        add(2, 10, this_module);
        add(3, 36, names);
        add(4, 46, symbols);
        add(5, 54, symbol_names);
        header.e_shoff = body.size();
        memcpy(body.data(), &header, sizeof header);
        body.append(reinterpret_cast<const char *>(sections), sizeof sections);
        if (signature) body += "signature bytes~Module signature appended~\n";
        return body;
    }
};

}  // namespace tapir
