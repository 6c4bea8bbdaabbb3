// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/stripped.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <cstdint>
#include <string_view>

namespace tapir::target {

bool is_stripped(const DebugObject &program) {
    if (program.index || !program.object->go().functions().empty()) return false;
    Dwfl_Module *module = program.object->module();
    const char *debug_file = nullptr;
    dwfl_module_getsymtab(module);  // looks for a debug file
    dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &debug_file);
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t names = 0;
    if (debug_file || !elf || elf_getshdrstrndx(elf, &names) != 0) return false;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header)) return false;
        const char *name = elf_strptr(elf, names, header.sh_name);
        // Fedora's programs keep the symbols of their functions in a section.
        if (header.sh_type == SHT_SYMTAB || (name && std::string_view(name) == ".gnu_debugdata")) return false;
    }
    return true;
}

bool is_cut_off(const DebugObject &program) {
    GElf_Addr bias = 0;
    GElf_Ehdr header;
    size_t bytes = 0;
    Elf *elf = dwfl_module_getelf(program.object->module(), &bias);
    return elf && gelf_getehdr(elf, &header) && elf_rawfile(elf, &bytes) &&
           (header.e_shoff > bytes || uint64_t{header.e_shnum} * header.e_shentsize > bytes - header.e_shoff);
}

std::string names_of_stripped(const DebugObject &program) {
    const std::string &id = program.object->build_id();
    if (id.size() < 3) return "use a build of it that has its symbols, or give an address: statement(ADDRESS)";
    return "'stap-prep " + program.module +
           "' names its debug package; while DEBUGINFOD_URLS is set, stap asks these " + "servers for build-id " + id +
           "; or give an address: statement(ADDRESS)";
}

}  // namespace tapir::target
