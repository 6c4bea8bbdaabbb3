// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "common/demangle.h"

namespace tapir::dwarf {

namespace {

// Lower is better: symbols that other files call, then names written for people.
auto rank_of(uint8_t binding, std::string_view name) {
    const int reach = binding == STB_LOCAL ? 2 : binding == STB_WEAK ? 1 : 0;
    return std::tuple(reach, std::min<size_t>(name.find_first_not_of('_'), 3), name.size(), name);
}

// Thunks, wrappers of thread-local variables and the like have the name of another function in theirs (Itanium C++ ABI,
// 5.1.4), but are not that function.
bool has_source_name(std::string_view symbol) {
    return is_mangled(symbol) && !symbol.starts_with("_ZT") && !symbol.starts_with("_ZG");
}

// Names of the versions that the object defines.
std::set<std::string_view> versions_of(Elf *elf) {
    std::set<std::string_view> names;
    for (Elf_Scn *section = nullptr; elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_GNU_verdef) continue;
        Elf_Data *data = elf_getdata(section, nullptr);
        GElf_Verdef version;
        for (int at = 0; data && gelf_getverdef(data, at, &version);) {
            GElf_Verdaux first;
            const char *name = gelf_getverdaux(data, at + static_cast<int>(version.vd_aux), &first)
                                   ? elf_strptr(elf, header.sh_link, first.vda_name)
                                   : nullptr;
            if (name) names.insert(name);
            if (!version.vd_next) break;
            at += static_cast<int>(version.vd_next);
        }
    }
    return names;
}

}  // namespace

bool SymbolTable::Symbol::is_function() const {
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

// Collects symbols from several tables.
class SymbolTable::Reader {
  public:
    Reader(Dwfl_Module *module, const GoProgram &go)
        : module_(module), go_(go), elf_(dwfl_module_getelf(module, &bias_)) {
        versions_ = versions_of(elf_);
    }

    std::vector<Symbol> read() {
        // libdwfl reads one: the file's .symtab, else that of a separate file or of .gnu_debugdata, else .dynsym.
        const int count = std::max(0, dwfl_module_getsymtab(module_));
        for (int i = 1; i < count; ++i) {
            GElf_Sym symbol;
            GElf_Addr address = 0;
            GElf_Word section = SHN_UNDEF;
            const char *name = dwfl_module_getsym_info(module_, i, &symbol, &address, &section, nullptr, nullptr);
            // It gives an object that can be loaded anywhere a place of its own.
            add(name, symbol, address - bias_, section);
        }
        GElf_Ehdr header;
        if (elf_ && gelf_getehdr(elf_, &header) && header.e_type != ET_REL) read_dynamic();
        if (!has_local_) read_go();
        std::sort(all_.begin(), all_.end(), [](const Symbol &a, const Symbol &b) {
            return a.address != b.address ? a.address < b.address
                                          : rank_of(a.binding, a.name) < rank_of(b.binding, b.name);
        });
        all_.erase(std::unique(all_.begin(), all_.end(),
                               [](const Symbol &a, const Symbol &b) {
                                   return a.address == b.address && a.type == b.type && a.name == b.name;
                               }),
                   all_.end());
        return std::move(all_);
    }

  private:
    void read_dynamic() {
        for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf_, section));) {
            GElf_Shdr header;
            if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize) continue;
            Elf_Data *data = elf_getdata(section, nullptr);
            for (size_t i = 1; data && i < header.sh_size / header.sh_entsize; ++i) {
                GElf_Sym symbol;
                if (!gelf_getsym(data, static_cast<int>(i), &symbol)) break;
                add(elf_strptr(elf_, header.sh_link, symbol.st_name), symbol, symbol.st_value, symbol.st_shndx);
            }
        }
    }

    void read_go() {
        for (const unwind::GoFunction &one : go_.functions())
            all_.push_back({one.start, one.bytes, go_.section_of(one.start), STT_FUNC, STB_LOCAL, one.name});
    }

    void add(const char *name, const GElf_Sym &symbol, uint64_t address, GElf_Word section) {
        if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS) return;
        const auto type = static_cast<uint8_t>(GELF_ST_TYPE(symbol.st_info));
        if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE && type != STT_GNU_IFUNC) return;
        const auto binding = static_cast<uint8_t>(GELF_ST_BIND(symbol.st_info));
        has_local_ |= binding == STB_LOCAL;
        all_.push_back({address, symbol.st_size, section, type, binding, without_version(name)});
    }

    // "fopen@@GLIBC_2.2.5", "fopen@GLIBC_2.0". Other names may have an "@", too.
    std::string_view without_version(std::string_view name) const {
        const size_t at = name.find('@');
        if (at == std::string_view::npos || at == 0) return name;
        const bool is_default = name.substr(at).starts_with("@@");
        return is_default || versions_.count(name.substr(at + 1)) ? name.substr(0, at) : name;
    }

    Dwfl_Module *module_;
    const GoProgram &go_;
    GElf_Addr bias_ = 0;
    Elf *elf_;
    std::set<std::string_view> versions_;
    std::vector<Symbol> all_;
    bool has_local_ = false;  // what stripping takes away
};

SymbolTable::SymbolTable(Dwfl_Module *module, const GoProgram &go) : by_address_(Reader(module, go).read()) {
    for (Symbol &symbol : by_address_) {
        if (!symbol.is_function()) continue;
        symbol.function = static_cast<uint32_t>(functions_.size());
        if (has_source_name(symbol.name)) mangled_.push_back(symbol.function);
        functions_.push_back(
            {symbol.name, symbol.address, symbol.size, symbol.binding != STB_LOCAL, symbol.type == STT_GNU_IFUNC});
    }
}

uint32_t SymbolTable::next_named(std::string_view name, uint32_t after) const {
    const auto hash_of = [this](std::string_view text) {
        return std::hash<std::string_view>()(text) & (names_.first.size() - 1);
    };
    if (names_.first.empty()) {
        names_.first.assign(std::bit_ceil(by_address_.size() + 1), kNone);
        names_.next.resize(by_address_.size());
        for (auto at = static_cast<uint32_t>(by_address_.size()); at-- > 0;) {
            uint32_t &first = names_.first[hash_of(by_address_[at].name)];
            names_.next[at] = std::exchange(first, at);
        }
    }
    uint32_t at = after == kNone ? names_.first[hash_of(name)] : names_.next[after];
    while (at != kNone && by_address_[at].name != name)
        at = names_.next[at];
    return at;
}

std::span<const SymbolTable::Symbol> SymbolTable::at(uint64_t address) const {
    const auto first = std::lower_bound(by_address_.begin(), by_address_.end(), address,
                                        [](const Symbol &symbol, uint64_t a) { return symbol.address < a; });
    const auto after =
        std::find_if(first, by_address_.end(), [&](const Symbol &symbol) { return symbol.address != address; });
    return {first, after};
}

std::vector<const FunctionSymbol *> SymbolTable::functions_named(std::string_view name) const {
    std::vector<const FunctionSymbol *> found;
    for (uint32_t at = next_named(name); at != kNone; at = next_named(name, at))
        if (by_address_[at].is_function()) found.push_back(&functions_[by_address_[at].function]);
    return found;
}

std::vector<const FunctionSymbol *> SymbolTable::mangled_with(std::string_view base,
                                                              std::string_view identifier) const {
    // Demangling all pays off for many searches only.
    constexpr unsigned kFew = 16;
    std::vector<const FunctionSymbol *> found;
    if (!identifier.empty() && by_base_.empty() && searches_++ < kFew) {
        for (uint32_t i : mangled_)
            if (functions_[i].name.find(identifier) != std::string_view::npos) found.push_back(&functions_[i]);
        return found;
    }
    if (by_base_.empty())
        for (uint32_t i : mangled_)
            by_base_.emplace(without_template_arguments(source_name(functions_[i]).name.parts.back()), i);
    for (auto [at, end] = by_base_.equal_range(base); at != end; ++at)
        found.push_back(&functions_[at->second]);
    return found;
}

const SymbolTable::SourceName &SymbolTable::source_name(const FunctionSymbol &function) const {
    const auto [at, is_new] = source_names_.try_emplace(static_cast<uint32_t>(&function - functions_.data()));
    if (!is_new) return at->second;
    SourceName &source = at->second;
    if (has_source_name(function.name)) source.text = without_abi_tags(demangle(function.name));
    if (source.text.empty()) {
        source.text = source.joined = function.name;
        source.name.parts = {source.text};
    } else {
        source.name = split_demangled(source.text);
        source.joined = join_name(source.name.parts);
    }
    return source;
}

std::optional<SymbolOffset> SymbolTable::symbol_at(uint64_t address) const {
    const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                        [](uint64_t a, const FunctionSymbol &entry) { return a < entry.address; });
    if (after == functions_.begin()) return std::nullopt;
    const auto first = std::lower_bound(functions_.begin(), after, std::prev(after)->address,
                                        [](const FunctionSymbol &entry, uint64_t a) { return entry.address < a; });
    uint64_t size = 0;
    for (auto at = first; at != after; ++at)
        size = std::max(size, at->size);
    if (size && address - first->address >= size) return std::nullopt;
    return SymbolOffset{std::string(first->name), address - first->address};
}

std::vector<std::string_view> SymbolTable::functions_at(uint64_t address) const {
    std::vector<std::string_view> names;
    for (const Symbol &symbol : at(address))
        if (symbol.is_function()) names.push_back(symbol.name);
    return names;
}

std::string_view SymbolTable::chosen_at(uint64_t address) const {
    for (const Symbol &symbol : at(address))
        if (symbol.type == STT_GNU_IFUNC) return symbol.name;
    return {};
}

std::optional<SymbolOffset> SymbolTable::anchor_of(uint64_t address) const {
    const auto &all = by_address_;
    const auto after = std::upper_bound(all.begin(), all.end(), address,
                                        [](uint64_t a, const Symbol &symbol) { return a < symbol.address; });
    if (after == all.begin()) return std::nullopt;
    const auto unique = [&](const Symbol &symbol) {
        return (symbol.is_function() || symbol.type == STT_OBJECT) && symbol.section == std::prev(after)->section &&
               only_address_of(symbol.name);
    };
    for (auto at = after; at != all.begin();) {
        --at;
        if (unique(*at)) return SymbolOffset{std::string(at->name), address - at->address};
        if (at->section != std::prev(after)->section) break;
    }
    for (auto at = after; at != all.end() && at->section == std::prev(after)->section; ++at)
        if (unique(*at)) return SymbolOffset{std::string(at->name), address - at->address};
    return std::nullopt;
}

std::optional<uint64_t> SymbolTable::address_of(std::string_view name) const {
    const uint32_t at = next_named(name);
    return at == kNone ? std::nullopt : std::optional(by_address_[at].address);
}

std::optional<uint64_t> SymbolTable::only_address_of(std::string_view name) const {
    const uint32_t at = next_named(name);
    return at == kNone || next_named(name, at) != kNone ? std::nullopt : std::optional(by_address_[at].address);
}

std::optional<uint64_t> SymbolTable::variable_address(std::string_view name) const {
    for (uint32_t at = next_named(name); at != kNone; at = next_named(name, at))
        if (!by_address_[at].is_function() && by_address_[at].binding != STB_LOCAL) return by_address_[at].address;
    return std::nullopt;
}

std::vector<DataSymbol> SymbolTable::variables() const {
    std::vector<DataSymbol> found;
    for (const Symbol &symbol : by_address_)
        if (symbol.type == STT_OBJECT)
            found.push_back({symbol.name, symbol.address, symbol.size, symbol.binding != STB_LOCAL});
    return found;
}

}  // namespace tapir::dwarf
