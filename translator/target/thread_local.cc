// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/thread_local.h"

#include <gelf.h>

#include <optional>

#include "arch/arch.h"
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
            // Another object may define what has a name, too.
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

}  // namespace tapir::target
