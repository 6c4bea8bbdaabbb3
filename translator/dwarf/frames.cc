// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/frames.h"

#include <dwarf.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "dwarf/function_names.h"
#include "dwarf/numbers.h"
#include "dwarf/unit_scopes.h"

namespace tapir::dwarf {

namespace {

// Finds the blocks and inlined instances around an address, the outermost first. Looks also into a block that has no
// code there: compilers leave code that they moved elsewhere out of blocks. False if no instance is there.
bool find_instances(Dwarf_Die *scope, uint64_t address, int nesting, std::vector<Dwarf_Die> &instances) {
    Dwarf_Die child;
    if (nesting > kMaxNesting || dwarf_child(scope, &child) != 0) return false;
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&child, address) == 1) {
            instances.push_back(child);
            find_instances(&child, address, nesting + 1, instances);
            return true;
        }
        if (tag == DW_TAG_lexical_block && find_instances(&child, address, nesting + 1, instances)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

uint32_t line_at(Dwarf_Die *function, uint64_t address) {
    int line = 0;
    Dwarf_Die unit;
    Dwarf_Line *row = dwarf_diecu(function, &unit, nullptr, nullptr) ? dwarf_getsrc_die(&unit, address) : nullptr;
    return row && dwarf_lineno(row, &line) == 0 && line > 0 ? static_cast<uint32_t>(line) : 0;
}

uint32_t call_line(Dwarf_Die *instance) {
    const Number line = number_of(instance, DW_AT_call_line);
    return line.is_constant() && line.value > 0 && line.value <= UINT32_MAX ? static_cast<uint32_t>(line.value) : 0;
}

// Returns the entry that describes a function, by a DIE of it: the one with code, or its origin.
const FunctionEntry *entry_of(const Object &object, const Index &index, Dwarf_Die die) {
    constexpr int kMaxReferences = 4;
    const char *name = dwarf_diename(&die);
    Dwarf_Attribute attribute;
    for (int i = 0; name && i < kMaxReferences; ++i) {
        const uint64_t id = object.id_of(&die);
        for (const FunctionEntry &entry : index.functions(name))
            if (entry.die == id) return &entry;
        if ((!dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
             !dwarf_attr(&die, DW_AT_specification, &attribute)) ||
            !dwarf_formref_die(&attribute, &die))
            break;
    }
    return nullptr;
}

uint32_t unit_of(const Object &object, const Index &index, Dwarf_Die *die) {
    Dwarf_Die unit;
    if (!dwarf_diecu(die, &unit, nullptr, nullptr)) return static_cast<uint32_t>(index.units().size());
    const uint64_t id = object.id_of(&unit);
    const auto found = std::find_if(index.units().begin(), index.units().end(),
                                    [&](const UnitEntry &entry) { return entry.die == id; });
    return static_cast<uint32_t>(found - index.units().begin());
}

CodeSite site_of(const Object &object, const Index &index, Dwarf_Die *die, uint64_t address) {
    CodeSite site;
    site.pc = address;
    site.function = object.id_of(die);
    site.unit = unit_of(object, index, die);
    site.inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    if (const FunctionEntry *entry = entry_of(object, index, *die)) {
        site.name = index.qualified_name(entry->scope, entry->name);
        site.file = entry->file;
    } else if (const char *name = dwarf_diename(die)) {
        site.name = name;
    }
    return site;
}

bool find_subprogram(Dwarf_Die *scope, uint64_t address, int nesting, Dwarf_Die &function) {
    if (nesting > kMaxScopeDepth || dwarf_child(scope, &function) != 0) return false;
    do {
        Dwarf_Die inner;
        switch (dwarf_tag(&function)) {
            case DW_TAG_subprogram:
                if (dwarf_haspc(&function, address) == 1) return true;
                [[fallthrough]];
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_union_type:
                if (!find_subprogram(&function, address, nesting + 1, inner)) break;
                function = inner;
                return true;
            default:
                break;
        }
    } while (dwarf_siblingof(&function, &function) == 0);
    return false;
}

}  // namespace

bool subprogram_at(const Object &object, const Index &index, uint64_t address, Dwarf_Die &function) {
    const FunctionEntry *entry = index.function_at(address);
    if (entry && object.die_at(entry->die, function) && dwarf_haspc(&function, address) == 1) return true;
    // Its code is in several parts: search the unit.
    for (const UnitEntry &entry_of_unit : index.units()) {
        Dwarf_Die unit;
        if (object.die_at(entry_of_unit.die, unit) && dwarf_haspc(&unit, address) == 1 &&
            find_subprogram(&unit, address, 0, function))
            return true;
    }
    return false;
}

std::vector<CodeSite> frames_at(const Object &object, const Index &index, uint64_t address) {
    Dwarf_Die function;
    if (!subprogram_at(object, index, address, function)) return {};
    std::vector<Dwarf_Die> scopes = {function};
    find_instances(&function, address, 0, scopes);
    std::vector<CodeSite> sites;
    uint32_t line = line_at(&function, address);
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
        sites.push_back(site_of(object, index, &*scope, address));
        sites.back().line = line;
        line = call_line(&*scope);
    }
    return sites;
}

namespace {

class FrameFinder {
  public:
    FrameFinder(const Object &object, const Index *index, const FunctionPattern &pattern)
        : object_(object), index_(index), pattern_(pattern) {
        const NamedFunctions named = named_functions(object, index, pattern.function, SymbolUse::Always);
        for (const FunctionEntry *entry : named.entries)
            dies_.insert(entry->die);
        for (const FunctionSymbol *symbol : named.symbols)
            addresses_.insert(symbol->address);
    }
    bool has_names() const { return !dies_.empty() || !addresses_.empty(); }

    void add(uint64_t address, std::vector<FrameSite> &found) const {
        const std::vector<CodeSite> sites = index_ ? frames_at(object_, *index_, address) : std::vector<CodeSite>();
        for (uint32_t depth = 0; depth < sites.size(); ++depth)
            if (is_named(sites[depth]) && is_there(sites[depth])) found.push_back({sites[depth], depth});
        if (sites.empty() && pattern_.file.empty()) add_symbol(address, found);
    }

  private:
    bool is_named(const CodeSite &site) const {
        constexpr int kMaxReferences = 4;
        Dwarf_Die die;
        Dwarf_Attribute attribute;
        if (!object_.die_at(site.function, die)) return false;
        const auto entry = site.inlined ? std::nullopt : entry_pc(&die);
        if (entry && addresses_.contains(*entry)) return true;
        for (int i = 0; i < kMaxReferences; ++i) {
            if (dies_.contains(object_.id_of(&die))) return true;
            if ((!dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
                 !dwarf_attr(&die, DW_AT_specification, &attribute)) ||
                !dwarf_formref_die(&attribute, &die))
                break;
        }
        return false;
    }

    bool is_there(const CodeSite &site) const {
        using Lines = FunctionPattern::Lines;
        if (!pattern_.file.empty() && !file_matches(index_->file(site.file), pattern_.file)) return false;
        if (pattern_.lines == Lines::Absolute) return site.line == pattern_.first;
        const auto is_in = [&](const auto &range) { return site.line >= range.first && site.line <= range.second; };
        return pattern_.lines != Lines::Listed || std::any_of(pattern_.ranges.begin(), pattern_.ranges.end(), is_in);
    }

    // For a function without debug information.
    void add_symbol(uint64_t address, std::vector<FrameSite> &found) const {
        const auto near = object_.symbols().symbol_at(address);
        if (!near || !addresses_.contains(address - near->offset)) return;
        CodeSite site;
        site.pc = address;
        const auto named = object_.symbols().functions_named(near->symbol);
        site.name = named.empty() ? near->symbol : object_.symbols().source_name(*named.front()).joined;
        found.push_back({site, 0});
    }

    const Object &object_;
    const Index *index_;
    const FunctionPattern &pattern_;
    std::unordered_set<uint64_t> dies_, addresses_;
};

}  // namespace

bool find_frames(const Object &object, const Index *index, const std::shared_ptr<const FramePlaces> &places,
                 const FunctionPattern &pattern, std::vector<FrameSite> &found) {
    const FrameFinder finder(object, index, pattern);
    for (const auto &[address, callers] : *places)
        finder.add(address, found);
    for (FrameSite &frame : found)
        frame.site.frames = places;
    return finder.has_names();
}

}  // namespace tapir::dwarf
