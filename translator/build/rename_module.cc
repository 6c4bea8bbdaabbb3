// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/rename_module.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "build/elf_object.h"

namespace tapir::build {

Outcome<void> rename_module(std::string &elf, std::string_view placeholder, std::string_view name) {
    const auto failed = [](const char *why) { return Fault{FaultTag::ModuleNotNamed, why}; };
    if (name.size() > placeholder.size()) return failed("the name is too long");
    std::vector<ElfSection> sections = elf_sections(elf);
    if (sections.empty()) return failed("not a 64-bit ELF file");
    bool named = false;
    for (const ElfSection &section : sections) {
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
    return named ? Outcome<void>() : failed("struct module does not hold the placeholder name");
}

}  // namespace tapir::build
