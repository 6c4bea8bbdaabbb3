// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/plt.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "target/elf_sections.h"
#include "target/integers.h"
#include "target/named_place.h"

namespace tapir::target {

namespace {

// ---- the functions by the addresses that are filled in with theirs

using Slots = std::unordered_map<uint64_t, std::string>;

uint32_t irelative(GElf_Half machine) {
    switch (machine) {
        case EM_X86_64:
            return R_X86_64_IRELATIVE;
        case EM_386:
            return R_386_IRELATIVE;
        default:
            return R_AARCH64_IRELATIVE;
    }
}

// Visits the relocations of the dynamic linker that name a symbol, with its name, or that call a resolver, with "" and
// its address.
template <class Visit>
void for_each_relocation(Elf *elf, Visit visit) {
    GElf_Ehdr file;
    if (!elf || !gelf_getehdr(elf, &file)) return;
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
            } else if (!number && GELF_R_TYPE(entry.r_info) == irelative(file.e_machine)) {
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
        // The function is one of this file and chosen at start; its symbol is that of the resolver.
        const auto symbol = program.symbol_at(static_cast<uint64_t>(relocation.r_addend));
        if (symbol && symbol->offset == 0) slots.emplace(relocation.r_offset, symbol->symbol);
    });
    return slots;
}

// ---- code

// The bytes of a section.
struct Code {
    const unsigned char *bytes;
    size_t size;
    uint64_t address;

    uint32_t word(size_t at) const {
        uint32_t value;
        std::memcpy(&value, bytes + at, sizeof value);
        return value;
    }
    bool has(size_t at, std::string_view text) const {
        return size - at >= text.size() && std::memcmp(bytes + at, text.data(), text.size()) == 0;
    }
};

// The slot that the code at `at` jumps to: [endbr] [mov $n,%r11d] [bnd] jmp *slot. `table` is the address of the global
// offset table, which position-independent 32-bit code has in %ebx.
std::optional<uint64_t> x86_slot(const Code &code, size_t at, bool wide, uint64_t table) {
    constexpr std::string_view kEndbr64 = "\xf3\x0f\x1e\xfa", kEndbr32 = "\xf3\x0f\x1e\xfb", kMoveR11 = "\x41\xbb";
    if (code.has(at, kEndbr64) || code.has(at, kEndbr32)) at += kEndbr64.size();
    if (wide && code.has(at, kMoveR11)) at += kMoveR11.size() + 4;
    if (code.has(at, "\xf2")) ++at;
    if (at > code.size || code.size - at < 6 || code.bytes[at] != 0xff) return std::nullopt;
    const uint32_t displacement = code.word(at + 2);
    if (code.bytes[at + 1] == 0x25)
        return wide ? code.address + at + 6 + static_cast<uint64_t>(static_cast<int32_t>(displacement)) : displacement;
    if (!wide && code.bytes[at + 1] == 0xa3) return static_cast<uint32_t>(table + displacement);
    return std::nullopt;
}

// [bti c] adrp x16, page; ldr x17, [x16, #offset]
std::optional<uint64_t> aarch64_slot(const Code &code, size_t at, bool, uint64_t) {
    constexpr uint32_t kBtiC = 0xd503245f;
    if (code.size - at >= 4 && code.word(at) == kBtiC) at += 4;
    if (code.size - at < 8) return std::nullopt;
    const uint32_t adrp = code.word(at), load = code.word(at + 4);
    if ((adrp & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211) return std::nullopt;
    const uint32_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
    const int64_t distance = static_cast<int64_t>(static_cast<uint64_t>(pages) << 43) >> 31;  // 21 bits, of 4096 bytes
    return ((code.address + at) & ~uint64_t{0xfff}) + static_cast<uint64_t>(distance) + (load >> 10 & 0xfff) * 8;
}

// No entry begins elsewhere than at a multiple of this.
constexpr size_t kX86Step = 8, kAarch64Step = 4;

void read_entries(const Code &code, GElf_Half machine, uint64_t table, const Slots &slots, std::vector<PltEntry> &out) {
    const bool x86 = machine == EM_X86_64 || machine == EM_386;
    size_t step = x86 ? kX86Step : kAarch64Step;
    for (size_t at = 0; at < code.size; at += step) {
        const auto slot = x86 ? x86_slot(code, at, machine == EM_X86_64, table) : aarch64_slot(code, at, true, table);
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
    // Of what the program's calls return nothing is known but the register.
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
    if (file.e_machine != EM_X86_64 && file.e_machine != EM_386 && file.e_machine != EM_AARCH64) return entries;
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
        read_entries({static_cast<const unsigned char *>(data->d_buf), data->d_size, header.sh_addr}, file.e_machine,
                     table, slots, entries);
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
    if (file.e_machine != EM_X86_64 && file.e_machine != EM_386 && file.e_machine != EM_AARCH64)
        return "the code of this processor's tables is not understood";
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
