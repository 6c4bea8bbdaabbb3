// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/linkage_symbols.h"

#include <elf.h>

#include <string_view>
#include <unordered_map>

#include "arch/arch.h"
#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

// Functions by the addresses that are filled in with theirs.
using Slots = std::unordered_map<uint64_t, std::string_view>;

void read_relocations(const ElfFile &file, const Section &section, const arch::LinkageTable &kind,
                      const NameAt &name_at, Slots &slots) {
    std::string_view symbols, names;
    if (section.link < file.sections().size()) {
        const Section &of = file.sections()[section.link];
        symbols = file.content(of);
        if (of.link < file.sections().size()) names = file.content(file.sections()[of.link]);
    }
    Bytes in(file.content(section));
    while (in.size() - in.at() >= sizeof(Elf64_Rela)) {
        const auto relocation = in.fixed<Elf64_Rela>();
        const uint64_t number = ELF64_R_SYM(relocation.r_info);
        std::string_view name;
        if (number) {
            Bytes symbol(symbols);
            symbol.seek(number * sizeof(Elf64_Sym));
            name = symbol_name(names, symbol.fixed<Elf64_Sym>().st_name);
        } else if (ELF64_R_TYPE(relocation.r_info) == kind.resolver_relocation) {
            name = name_at(static_cast<uint64_t>(relocation.r_addend));
        }
        if (!name.empty()) slots.emplace(relocation.r_offset, name);
    }
}

void add_entries(const Section &section, const arch::Code &code, const arch::LinkageTable &kind, uint64_t offsets,
                 const Slots &slots, std::vector<LinkageSymbol> &out) {
    // Code that the entries share, or that belongs to no entry.
    out.push_back({code.address, code.size, std::string(section.name)});
    std::string_view last;
    for (size_t at = 0; at < code.size; at += kind.step) {
        const auto slot = kind.slot(code, at, offsets);
        const auto found = slot ? slots.find(*slot) : slots.end();
        if (found == slots.end()) continue;
        LinkageSymbol &before = out.back();
        const uint64_t address = code.address + at;
        // A landing pad and the jump after it are one entry.
        if (found->second == last && address - before.address < 16) continue;
        last = found->second;
        before.bytes = address - before.address;
        if (!before.bytes) out.pop_back();
        out.push_back({address, code.size - at, std::string(last).append(kLinkageSuffix)});
    }
}

}  // namespace

std::vector<LinkageSymbol> collect_linkage(const ElfFile &file, const NameAt &name_at) {
    std::vector<LinkageSymbol> found;
    const arch::LinkageTable *kind = arch::linkage_table(file.machine());
    if (!kind) return found;
    Slots slots;
    for (const Section &section : file.sections())
        if (section.type == SHT_RELA && (section.flags & SHF_ALLOC))
            read_relocations(file, section, *kind, name_at, slots);
    const Section *offsets = file.section(".got.plt");
    if (!offsets) offsets = file.section(".got");
    for (const Section &section : file.sections()) {
        const bool linkage = section.name.starts_with(".plt") || section.name.starts_with(".iplt");
        if (!linkage || !(section.flags & SHF_EXECINSTR)) continue;
        const std::string_view code = file.content(section);
        if (code.empty()) continue;
        add_entries(section, {reinterpret_cast<const unsigned char *>(code.data()), code.size(), section.address},
                    *kind, offsets ? offsets->address : 0, slots, found);
    }
    return found;
}

}  // namespace tapir::unwind
