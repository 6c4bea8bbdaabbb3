// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/copied_code.h"

#include <elf.h>

#include <cstring>
#include <optional>

namespace tapir::core {

std::vector<CodeRange> code_ranges(std::string_view image, uint64_t address) {
    Elf64_Ehdr header;
    if (image.size() < sizeof header || std::memcmp(image.data(), ELFMAG, SELFMAG) != 0) return {};
    std::memcpy(&header, image.data(), sizeof header);
    if (image[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
    std::optional<uint64_t> bias;
    std::vector<CodeRange> code;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
        if (header.e_phoff > image.size() || at > image.size() || image.size() - at < sizeof(Elf64_Phdr)) break;
        Elf64_Phdr part;
        std::memcpy(&part, image.data() + at, sizeof part);
        if (part.p_type != PT_LOAD) continue;
        // The first bytes are of the first part, which begins with them.
        if (!bias) bias = address - (part.p_vaddr - part.p_offset);
        if (part.p_flags & PF_X)
            code.push_back({*bias + part.p_vaddr, *bias + part.p_vaddr + part.p_filesz, part.p_offset});
    }
    return code;
}

bool names_no_file(std::string_view name) {
    return name.starts_with("/anon_hugepage") || name.starts_with("/dev/zero") || name.starts_with("/SYSV");
}

}  // namespace tapir::core
