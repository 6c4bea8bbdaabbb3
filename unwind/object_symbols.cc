// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/object_symbols.h"

#include <elf.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "common/demangle.h"
#include "unwind/bytes.h"
#include "unwind/go_functions.h"
#include "unwind/label_extent.h"
#include "unwind/linkage_symbols.h"

namespace tapir::unwind {

namespace {

struct Candidate {
    uint32_t place, size;
    uint32_t end;  // of a label in code: where its section ends; 0: nothing is known of its extent
    uint8_t rank;  // lower is better
    bool chosen;   // at start, by the code at the place (IFUNC)
    std::string_view name;
};

uint8_t rank_of(const Elf64_Sym &symbol, std::string_view name) {
    const unsigned binding = ELF64_ST_BIND(symbol.st_info), type = ELF64_ST_TYPE(symbol.st_info);
    unsigned rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
    // A chosen function has a place of its own elsewhere.
    if (type == STT_NOTYPE || type == STT_GNU_IFUNC) rank += 4;
    return static_cast<uint8_t>(rank * 4 + std::min<size_t>(name.find_first_not_of('_'), 3));
}

uint32_t limited(uint64_t number) {
    return static_cast<uint32_t>(std::min<uint64_t>(number, std::numeric_limits<uint32_t>::max()));
}

bool is_wanted(const Elf64_Sym &symbol) {
    switch (ELF64_ST_TYPE(symbol.st_info)) {
        case STT_FUNC:
        case STT_GNU_IFUNC:
        case STT_OBJECT:
            return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
        case STT_NOTYPE:
            // Labels of assembly code.
            return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE;
    }
    return false;
}

void read_table(const ElfFile &owner, const Section &section, const ElfFile &file, std::vector<Candidate> &found) {
    if (section.link >= owner.sections().size()) return;
    Bytes in(owner.content(section));
    const std::string_view names = owner.content(owner.sections()[section.link]);
    while (in.size() - in.at() >= sizeof(Elf64_Sym)) {
        const Elf64_Sym symbol = in.fixed<Elf64_Sym>();
        if (!is_wanted(symbol)) continue;
        const std::optional<uint64_t> place = file.loaded_place_of(symbol.st_value);
        if (!place || *place > std::numeric_limits<uint32_t>::max()) continue;
        const std::string_view name = symbol_name(names, symbol.st_name);
        // Mapping symbols of AArch64 and the like.
        if (name.empty() || name[0] == '$') continue;
        uint64_t end = 0;
        if (symbol.st_shndx < owner.sections().size())
            if (const Section &in_section = owner.sections()[symbol.st_shndx]; in_section.flags & SHF_EXECINSTR)
                end = *place + (in_section.address + in_section.memory_bytes - symbol.st_value);
        found.push_back({static_cast<uint32_t>(*place),
                         limited(*place + symbol.st_size) - static_cast<uint32_t>(*place), limited(end),
                         rank_of(symbol, name), ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC, name});
    }
}

void add(const ElfFile &file, uint64_t address, uint64_t bytes, uint8_t rank, std::string_view name,
         std::vector<Candidate> &found) {
    const std::optional<uint64_t> place = file.loaded_place_of(address);
    if (!place || *place > std::numeric_limits<uint32_t>::max()) return;
    const uint32_t end = limited(*place + bytes);
    found.push_back({static_cast<uint32_t>(*place), end - static_cast<uint32_t>(*place), end, rank, false, name});
}

// With its NUL.
void add_name(std::string &names, std::string_view name, bool mangled) {
    const size_t bare = name.size() - (name.ends_with(kLinkageSuffix) ? kLinkageSuffix.size() : 0);
    const std::string shown = mangled ? std::string() : demangle(name.substr(0, bare));
    if (shown.empty() || shown.size() + (name.size() - bare) > kMaxDemangled)
        names += name;
    else
        names.append(shown).append(name.substr(bare));
    names += '\0';
}

// One of those at a place is preferred to another.
bool before(const Candidate &a, const Candidate &b) {
    return a.size != b.size ? a.size > b.size : a.rank < b.rank;
}

// Names by the place of the code that chooses the function: the function's, else that of this code.
std::unordered_map<uint32_t, std::string_view> names_of_chosen(const std::vector<Candidate> &found) {
    std::unordered_map<uint32_t, const Candidate *> best;
    for (const Candidate &one : found) {
        const Candidate *&kept = best[one.place];
        if (!kept || (one.chosen != kept->chosen ? one.chosen : before(one, *kept))) kept = &one;
    }
    std::unordered_map<uint32_t, std::string_view> names;
    for (const auto &[place, one] : best)
        names.emplace(place, one->name);
    return names;
}

// `stripped`: symbols of local functions are missing.
Symbols sorted(const ElfFile &file, std::vector<Candidate> found, bool stripped, bool mangled) {
    std::stable_sort(found.begin(), found.end(), [](const Candidate &a, const Candidate &b) {
        return a.place != b.place ? a.place < b.place : before(a, b);
    });
    found.erase(std::unique(found.begin(), found.end(),
                            [](const Candidate &a, const Candidate &b) { return a.place == b.place; }),
                found.end());
    Symbols symbols;
    symbols.names.push_back('\0');
    uint32_t covered = 0;  // by those before that have a size
    for (size_t i = 0; i < found.size(); ++i) {
        const Candidate &one = found[i];
        uint32_t size = one.size;
        if (!size) {
            // A label within something.
            if (one.place < covered) continue;
            const uint32_t next = i + 1 < found.size() ? found[i + 1].place : one.end;
            size = one.end > one.place ? std::min(next, one.end) - one.place : 0;
            if (size && stripped) size = label_extent(file, one.place, size);
        }
        covered = std::max(covered, one.place + one.size);
        if (symbols.names.size() + one.name.size() >= std::numeric_limits<uint32_t>::max() / 2) break;
        symbols.rows.push_back({one.place, size, static_cast<uint32_t>(symbols.names.size())});
        add_name(symbols.names, one.name, mangled);
    }
    return symbols;
}

}  // namespace

Symbols collect_symbols(const ElfFile &file, DebugFile &debug, bool mangled) {
    std::vector<Candidate> found;
    const Section *section = file.section(".symtab");
    if (section) {
        read_table(file, *section, file, found);
    } else if (const ElfFile *other = debug.get()) {
        section = other->section(".symtab");
        if (section) read_table(*other, *section, file, found);
    }
    const bool stripped = !section;
    if (stripped) {
        const GoFunctions go(file);
        for (const GoFunction &one : go.all())
            add(file, one.start, one.bytes, 0, one.name, found);
    }
    // Those that other objects refer to: all that is left after stripping, but for Go.
    section = file.section(".dynsym");
    if (section) read_table(file, *section, file, found);
    std::optional<std::unordered_map<uint32_t, std::string_view>> by_place;
    const auto name_at = [&](uint64_t address) {
        if (!by_place) by_place = names_of_chosen(found);
        const auto place = file.loaded_place_of(address);
        const auto name = place && *place <= std::numeric_limits<uint32_t>::max()
                              ? by_place->find(static_cast<uint32_t>(*place))
                              : by_place->end();
        return name != by_place->end() ? name->second : std::string_view();
    };
    const std::vector<LinkageSymbol> linkage = collect_linkage(file, name_at);
    for (const LinkageSymbol &one : linkage)
        add(file, one.address, one.bytes, std::numeric_limits<uint8_t>::max(), one.name, found);
    return sorted(file, std::move(found), stripped, mangled);
}

}  // namespace tapir::unwind
