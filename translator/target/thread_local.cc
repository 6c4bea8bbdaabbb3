// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/thread_local.h"

#include <gelf.h>

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "arch/arch.h"
#include "target/debug_info.h"
#include "target/elf_sections.h"

namespace tapir::target {

namespace {

ThreadBlock unknown(std::string why) {
    ThreadBlock block;
    block.why = std::move(why);
    return block;
}

std::optional<GElf_Phdr> thread_segment(Elf *elf) {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return std::nullopt;
    for (size_t i = 0; i < count; ++i) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == PT_TLS) return header;
    }
    return std::nullopt;
}

Elf_Scn *next_section(Elf *elf, Elf_Scn *section, GElf_Word type, GElf_Shdr &header) {
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == type && header.sh_entsize) return section;
    return nullptr;
}

bool is_program(Elf *elf, const GElf_Ehdr &header) {
    if (header.e_type == ET_EXEC) return true;
    GElf_Shdr dynamic;
    Elf_Scn *section = next_section(elf, nullptr, SHT_DYNAMIC, dynamic);
    Elf_Data *data = section ? elf_getdata(section, nullptr) : nullptr;
    for (size_t i = 0; data && i < dynamic.sh_size / dynamic.sh_entsize; ++i) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, static_cast<int>(i), &entry)) break;
        if (entry.d_tag == DT_FLAGS_1) return entry.d_un.d_val & DF_1_PIE;
    }
    return false;
}

// Words that the dynamic linker fills in for variables of the object itself: an offset is better than a number.
ThreadBlock find_word(Elf *elf, const arch::ThreadLocal &abi) {
    ThreadBlock best;
    GElf_Shdr header;
    for (Elf_Scn *section = nullptr; (section = next_section(elf, section, SHT_RELA, header));) {
        GElf_Shdr symbols;
        Elf_Scn *symbol_section = elf_getscn(elf, header.sh_link);
        Elf_Data *data = elf_getdata(section, nullptr),
                 *table = symbol_section ? elf_getdata(symbol_section, nullptr) : nullptr;
        if (!data || (symbol_section && !gelf_getshdr(symbol_section, &symbols))) continue;
        for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
            GElf_Rela relocation;
            if (!gelf_getrela(data, static_cast<int>(i), &relocation)) break;
            const auto type = static_cast<uint32_t>(GELF_R_TYPE(relocation.r_info));
            const auto number = static_cast<int>(GELF_R_SYM(relocation.r_info));
            if (type != abi.module_relocation && type != abi.offset_relocation) continue;
            GElf_Sym symbol = {};
            // Another object may define a variable with a name, too.
            if (number && (!table || !gelf_getsym(table, number, &symbol) || symbol.st_shndx == SHN_UNDEF)) continue;
            if (type == abi.module_relocation && best.kind != ThreadBlock::Kind::Unknown) continue;
            best.kind = type == abi.offset_relocation ? ThreadBlock::Kind::Offset : ThreadBlock::Kind::Module;
            best.word = relocation.r_offset;
            best.offset = type == abi.offset_relocation
                              ? -static_cast<int64_t>(symbol.st_value + static_cast<uint64_t>(relocation.r_addend))
                              : 0;
            if (best.kind == ThreadBlock::Kind::Offset && !number) return best;
        }
    }
    return best;
}

uint64_t round_up(uint64_t value, uint64_t alignment) {
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

}  // namespace

ThreadBlock find_thread_block(const dwarf::Object &object) {
    GElf_Ehdr header;
    Elf *elf = elf_of(object);
    if (!elf || !gelf_getehdr(elf, &header)) return unknown("the file cannot be read");
    const arch::Arch *machine = arch::of_machine(header.e_machine);
    const std::optional<GElf_Phdr> segment = thread_segment(elf);
    if (!segment) return unknown("the file has no thread-local storage");
    if (!machine) return unknown("it is thread-local, and where this processor has such variables is not known");
    const arch::ThreadLocal &abi = machine->thread_local_storage;
    ThreadBlock block;
    if (is_program(elf, header)) {
        block.kind = ThreadBlock::Kind::Program;
        block.offset = abi.blocks_below ? -static_cast<int64_t>(round_up(segment->p_memsz, segment->p_align))
                                        : static_cast<int64_t>(round_up(abi.header, segment->p_align));
    } else {
        block = find_word(elf, abi);
        if (block.kind == ThreadBlock::Kind::Unknown)
            return unknown(
                "it is thread-local, and the library has no word that tells where (it may use TLS descriptors)");
    }
    block.thread_pointer = abi.pointer;
    block.vector = abi.vector;
    return block;
}

// The GNU C library describes members for debuggers in its read-only data: their bits, their number, and the offset of
// the first. Returns nothing if it does not.
static std::optional<std::array<uint32_t, 3>> member_for_debuggers(const dwarf::Object &library, const char *name) {
    std::array<uint32_t, 3> words = {};
    std::array<unsigned char, sizeof words> bytes = {};
    const auto address = library.symbol_address(name);
    if (!address || !library.read_code(*address, bytes)) return std::nullopt;
    std::memcpy(words.data(), bytes.data(), sizeof words);
    return words;
}

// Returns the offset of the list in the dynamic linker's _rtld_global. Nothing if the tapset's __thread_block() cannot
// walk it: it expects a number of entries, the next part, and entries of two words, the first of which is the
// generation.
static std::optional<uint64_t> offset_of_owners(const dwarf::Object &library) {
    static_assert(std::endian::native == std::endian::little);
    struct Expected {
        const char *name;
        std::array<uint32_t, 3> member;
    };
    for (const Expected &expected :
         {Expected{"_thread_db_dtv_slotinfo_list_len", {64, 1, 0}},
          Expected{"_thread_db_dtv_slotinfo_list_next", {64, 1, 8}},
          Expected{"_thread_db_dtv_slotinfo_list_slotinfo", {128, 0, 16}},
          Expected{"_thread_db_dtv_slotinfo_gen", {64, 1, 0}}, Expected{"_thread_db_dtv_slotinfo_map", {64, 1, 8}}})
        if (member_for_debuggers(library, expected.name) != expected.member) return std::nullopt;
    const auto list = member_for_debuggers(library, "_thread_db_rtld_global__dl_tls_dtv_slotinfo_list");
    return list && (*list)[0] == 64 ? std::optional<uint64_t>((*list)[2]) : std::nullopt;
}

static std::vector<std::string> find_of_c_library(const DebugInfo &debug, const std::string &name,
                                                  const DebugObject &user) {
    std::vector<std::string> paths = debug.find_libraries(name, user);
    // Searches the usual directories for a library that any process will have mapped.
    for (const char *pattern : {"/usr/lib*/", "/lib*/"})
        if (paths.empty()) paths = debug.find_programs(pattern + name);
    return paths;
}

ThreadBlock find_thread_block(const DebugObject &object) {
    ThreadBlock block = find_thread_block(*object.object);
    if (block.kind != ThreadBlock::Kind::Module) return block;
    const std::string linker = arch::find(object.object->machine())->thread_local_storage.linker;
    const std::string untold = "it is thread-local, and stap cannot tell whether a thread has allocated it: ";
    if (!object.debug) return unknown(untold + "nothing is known of other libraries");
    std::string error;
    std::optional<uint64_t> offset;
    for (const std::string &path : find_of_c_library(*object.debug, "libc.so.6", object)) {
        const auto library = dwarf::Object::open(path, error);
        if (!offset && library && library->machine() == object.object->machine()) offset = offset_of_owners(*library);
    }
    if (!offset) return unknown(untold + "there is no libc.so.6 of the GNU C library that tells debuggers of it");
    for (const std::string &path : find_of_c_library(*object.debug, linker, object)) {
        const DebugObject *found = object.debug->program(path, error);
        const auto state = found ? found->object->symbol_address("_rtld_global") : std::nullopt;
        if (!state || found->object->machine() != object.object->machine()) continue;
        found->used = true;
        block.linker = path;
        block.owners = *state + *offset;
        return block;
    }
    return unknown(untold + "there is no dynamic linker " + linker);
}

}  // namespace tapir::target
