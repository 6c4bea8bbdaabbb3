// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "dwarf/object.h"

namespace tapir::target {

// The file itself, not its debug information; null when it cannot be read. The object owns it.
inline Elf *elf_of(const dwarf::Object &object) {
    GElf_Addr bias = 0;
    return dwfl_module_getelf(object.module(), &bias);
}

// Calls visit(Elf_Scn *, const GElf_Shdr &) for each section. `elf` may be null.
template <class Visit>
void for_each_section(Elf *elf, Visit visit) {
    for (Elf_Scn *section = nullptr; elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header)) visit(section, header);
    }
}

}  // namespace tapir::target
