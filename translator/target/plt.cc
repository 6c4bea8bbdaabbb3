// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/plt.h"

#include <gelf.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "arch/arch.h"
#include "target/elf_sections.h"
#include "target/integers.h"
#include "target/named_place.h"

namespace tapir::target {

namespace {

// ---- the functions by the addresses that are filled in with theirs

using Slots = std::unordered_map<uint64_t, std::string>;

// Visits the relocations of the dynamic linker that name a symbol, with its name, or that call a resolver, with "" and
// its address.
template <class Visit>
void for_each_relocation(Elf *elf, Visit visit) {
    GElf_Ehdr file;
    if (!elf || !gelf_getehdr(elf, &file)) return;
    const arch::LinkageTable *kind = arch::linkage_table(file.e_machine);
    for_each_section(elf, [&](Elf_Scn *section, const GElf_Shdr &header) {
        if ((header.sh_type != SHT_REL && header.sh_type != SHT_RELA) || !(header.sh_flags & SHF_ALLOC) ||
            !header.sh_entsize)
            return;
        Elf_Data *data = elf_getdata(section, nullptr);
        Elf_Scn *symbol_section = elf_getscn(elf, header.sh_link);
        GElf_Shdr symbol_header;
        if (!data || !symbol_section || !gelf_getshdr(symbol_section, &symbol_header)) return;
        Elf_Data *symbols = elf_getdata(symbol_section, nullptr);
        for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
            GElf_Rela entry = {};
            GElf_Rel without = {};
            const int index = static_cast<int>(i);
            if (header.sh_type == SHT_RELA) {
                if (!gelf_getrela(data, index, &entry)) break;
            } else {
                if (!gelf_getrel(data, index, &without)) break;
                entry.r_offset = without.r_offset;
                entry.r_info = without.r_info;
            }
            const auto number = GELF_R_SYM(entry.r_info);
            GElf_Sym symbol;
            if (number && symbols && gelf_getsym(symbols, static_cast<int>(number), &symbol)) {
                const char *name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name);
                if (name && *name) visit(entry, std::string_view(name));
            } else if (!number && kind && GELF_R_TYPE(entry.r_info) == kind->resolver_relocation) {
                visit(entry, std::string_view());
            }
        }
    });
}

Slots read_slots(const dwarf::Object &program) {
    Slots slots;
    for_each_relocation(elf_of(program), [&](const GElf_Rela &relocation, std::string_view name) {
        if (!name.empty()) {
            slots.emplace(relocation.r_offset, name);
            return;
        }
        // The function is one of this file and chosen at start; its symbol is that of the code which chooses.
        const auto address = static_cast<uint64_t>(relocation.r_addend);
        const std::string_view chosen = program.symbols().chosen_at(address);
        const auto symbol = program.symbols().symbol_at(address);
        if (!chosen.empty())
            slots.emplace(relocation.r_offset, chosen);
        else if (symbol && symbol->offset == 0)
            slots.emplace(relocation.r_offset, symbol->symbol);
    });
    return slots;
}

// ---- code

void read_entries(const arch::Code &code, const arch::LinkageTable &kind, uint64_t table, const Slots &slots,
                  std::vector<PltEntry> &out) {
    for (size_t at = 0; at < code.size; at += kind.step) {
        const auto slot = kind.slot(code, at, table);
        const auto found = slot ? slots.find(*slot) : slots.end();
        if (found == slots.end()) continue;
        // The landing pad that precedes a jump is the entry, not the jump.
        if (!out.empty() && out.back().name == found->second && code.address + at - out.back().address < 16) continue;
        out.push_back({code.address + at, found->second});
    }
}

class PltScope final : public NamedPlaceScope {
  public:
    using NamedPlaceScope::NamedPlaceScope;
    // Only the register of a result is known for calls of the program.
    std::optional<ctypes::Type> result() const override {
        return ctypes::Type{&Integers::all(), Integers::id(8, true)};
    }
};

}  // namespace

std::vector<PltEntry> read_plt(const dwarf::Object &program) {
    std::vector<PltEntry> entries;
    Elf *elf = elf_of(program);
    GElf_Ehdr file;
    size_t names = 0;
    if (!elf || !gelf_getehdr(elf, &file) || elf_getshdrstrndx(elf, &names) != 0) return entries;
    const arch::LinkageTable *kind = arch::linkage_table(file.e_machine);
    if (!kind) return entries;
    const auto name_of = [&](const GElf_Shdr &header) {
        const char *name = elf_strptr(elf, names, header.sh_name);
        return std::string_view(name ? name : "");
    };
    uint64_t table = 0;
    for_each_section(elf, [&](Elf_Scn *, const GElf_Shdr &header) {
        if (name_of(header) == ".got.plt" || (name_of(header) == ".got" && !table)) table = header.sh_addr;
    });
    const Slots slots = read_slots(program);
    for_each_section(elf, [&](Elf_Scn *section, const GElf_Shdr &header) {
        if (!(header.sh_flags & SHF_EXECINSTR) || !name_of(header).starts_with(".plt")) return;
        const Elf_Data *data = elf_getdata(section, nullptr);
        if (!data || !data->d_buf) return;
        read_entries({static_cast<const unsigned char *>(data->d_buf), data->d_size, header.sh_addr}, *kind, table,
                     slots, entries);
    });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const PltEntry &a, const PltEntry &b) { return a.address < b.address; });
    return entries;
}

std::string why_no_plt(const dwarf::Object &program) {
    Elf *elf = elf_of(program);
    GElf_Ehdr file;
    size_t sections = 0;
    bool dynamic = false, imports = false;
    if (!elf || !gelf_getehdr(elf, &file)) return "it cannot be read";
    if (elf_getshdrnum(elf, &sections) != 0 || sections == 0) return "its section headers were stripped off";
    if (!arch::linkage_table(file.e_machine)) return "the code of this processor's tables is not understood";
    for_each_section(elf, [&](Elf_Scn *, const GElf_Shdr &header) { dynamic |= header.sh_type == SHT_DYNSYM; });
    for_each_relocation(elf, [&](const GElf_Rela &, std::string_view name) { imports |= !name.empty(); });
    if (!dynamic) return "it is linked statically; use .function";
    if (!imports) return "it calls no function of another file";
    return "it calls functions of other files by way of the global offset table alone (-fno-plt); probe them in their "
           "libraries: .library(\"LIBRARY\").function(\"NAME\")";
}

bool is_imported(const dwarf::Object &program, std::string_view function) {
    bool found = false;
    for_each_relocation(elf_of(program), [&](const GElf_Rela &, std::string_view name) { found |= name == function; });
    return found;
}

std::unique_ptr<Scope> make_plt_scope(const DebugObject &object, const PltEntry &entry) {
    return std::make_unique<PltScope>(object, entry.name);
}

}  // namespace tapir::target
