// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/scopes.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "dwarf/unit_scopes.h"
#include "dwarf/units.h"
#include "names/qualified_name.h"

namespace tapir::dwarf {

namespace {

// Blocks within each other are entered no deeper.
constexpr int kMaxNesting = 256;

bool is_variable(int tag) {
    return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

class Collector {
  public:
    Collector(const Object &object, uint64_t pc) : object_(object), pc_(pc) {}

    // Variables of the blocks that contain pc, outer blocks first: each level's list.
    void enter(Dwarf_Die *scope, int depth) {
        levels_.emplace_back();
        Dwarf_Die child;
        if (depth > kMaxNesting || dwarf_child(scope, &child) != 0) return;
        std::vector<Dwarf_Die> blocks;
        do {
            const int tag = dwarf_tag(&child);
            if (is_variable(tag)) {
                const char *name = dwarf_diename(&child);
                if (name)
                    levels_.back().push_back({name, object_.id_of(&child), tag == DW_TAG_formal_parameter, false});
            } else if (tag == DW_TAG_lexical_block && dwarf_haspc(&child, pc_) == 1) {
                blocks.push_back(child);
            }
        } while (dwarf_siblingof(&child, &child) == 0);
        for (Dwarf_Die &block : blocks)
            enter(&block, depth + 1);
    }

    std::vector<ScopeVariable> take() {
        std::vector<ScopeVariable> visible;
        for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
            for (ScopeVariable &variable : *level)
                if (names_.insert(variable.name).second) visible.push_back(std::move(variable));
        return visible;
    }

  private:
    const Object &object_;
    uint64_t pc_;
    std::vector<std::vector<ScopeVariable>> levels_;
    std::unordered_set<std::string> names_;
};

}  // namespace

std::vector<ScopeVariable> variables_at(const Object &object, const CodeSite &site) {
    Dwarf_Die function;
    if (!object.die_at(site.function, function)) return {};
    Collector collector(object, site.pc);
    collector.enter(&function, 0);
    return collector.take();
}

std::optional<ScopeVariable> find_variable(const Object &object, const Index &index, const CodeSite &site,
                                           std::string_view name) {
    for (ScopeVariable &variable : variables_at(object, site))
        if (variable.name == name) return std::move(variable);
    const auto found = index.variables(name);
    // Of those of the unit the one in the innermost of the function's scopes.
    const std::vector<std::string_view> scopes = split_name(site.name).parts;
    const VariableEntry *best = nullptr;
    size_t best_depth = 0;
    for (const VariableEntry &entry : found) {
        if (entry.unit != site.unit) continue;
        const std::vector<std::string_view> parts = index.parts(entry.scope, entry.name);
        const bool around = parts.size() <= scopes.size() && std::equal(parts.begin(), parts.end() - 1, scopes.begin());
        const size_t depth = around ? parts.size() : 0;
        if (best && depth <= best_depth) continue;
        best = &entry;
        best_depth = depth;
    }
    if (best) return ScopeVariable{std::string(name), best->die, false, true};
    Dwarf_Die unit;
    std::optional<ScopeVariable> imported;
    if (found.empty() || site.unit >= index.units().size() || !object.die_at(index.units()[site.unit].die, unit))
        return imported;
    for_top_level(object, unit, [&](Dwarf_Die *die) {
        if (dwarf_tag(die) != DW_TAG_variable) return true;
        const uint64_t id = object.id_of(die);
        for (const VariableEntry &entry : found)
            if (entry.die == id) imported = ScopeVariable{std::string(name), id, false, true};
        return !imported;
    });
    return imported;
}

static bool is_static(const Dwarf_Op *ops, size_t count) {
    return count > 0 &&
           (ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx ||
            ops[count - 1].atom == DW_OP_GNU_push_tls_address || ops[count - 1].atom == DW_OP_form_tls_address);
}

// In the blocks of one function, or in a namespace or class with functions.
static bool find_static_in(Dwarf_Die *scope, std::string_view name, int depth, Dwarf_Die &found) {
    Dwarf_Die child;
    if (depth > kMaxNesting || dwarf_child(scope, &child) != 0) return false;
    do {
        const int tag = dwarf_tag(&child);
        Dwarf_Attribute location;
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        const char *own = tag == DW_TAG_variable ? dwarf_diename(&child) : nullptr;
        if (own && own == name && dwarf_attr_integrate(&child, DW_AT_location, &location) &&
            dwarf_getlocation(&location, &ops, &count) == 0 && is_static(ops, count)) {
            found = child;
            return true;
        }
        const bool enters = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
                            tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                            tag == DW_TAG_inlined_subroutine;
        if (enters && find_static_in(&child, name, depth + 1, found)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

std::optional<ScopeVariable> find_function_static(const Object &object, uint64_t unit, std::string_view name) {
    Dwarf_Die die, found;
    if (!object.die_at(unit, die) || !find_static_in(&die, name, 0, found)) return std::nullopt;
    return ScopeVariable{std::string(name), object.id_of(&found), false, true};
}

std::vector<ScopeVariable> parameters_of(const Object &object, const CodeSite &site) {
    std::vector<ScopeVariable> parameters;
    Dwarf_Die function, child;
    if (!object.die_at(site.function, function) || dwarf_child(&function, &child) != 0) return parameters;
    do {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
        const char *name = dwarf_diename(&child);
        parameters.push_back({name ? name : "", object.id_of(&child), true, false});
    } while (dwarf_siblingof(&child, &child) == 0);
    return parameters;
}

bool is_called_by_abi(const Object &object, const Index &index, const CodeSite &site) {
    const FunctionEntry *entry = site.at_entry && !site.call ? index.function_at(site.pc) : nullptr;
    if (!entry || entry->die != site.function || entry->entry != site.pc || !(entry->flags & kExternal) ||
        (entry->flags & kPart) || entry->unit >= index.units().size() ||
        has_scopes(index.units()[entry->unit].language))
        return false;
    Dwarf_Die function;
    Dwarf_Attribute attribute;
    Dwarf_Word convention = DW_CC_normal;
    if (!object.die_at(site.function, function)) return false;
    if (dwarf_attr_integrate(&function, DW_AT_calling_convention, &attribute) &&
        (dwarf_formudata(&attribute, &convention) != 0 || convention != DW_CC_normal))
        return false;
    return object.exports_function(index.text(entry->name), site.pc);
}

ctypes::Type type_of_variable(const Object &object, const Types &types, const ScopeVariable &variable) {
    Dwarf_Die die;
    if (!object.die_at(variable.die, die)) return {};
    return {&types, types.type_of(&die)};
}

// The subprogram with code that an inlined instance is in; false when there is none.
static bool find_subprogram(const Object &object, const Index &index, const CodeSite &site, Dwarf_Die &instance,
                            Dwarf_Die &subprogram) {
    const FunctionEntry *entry = index.function_at(site.pc);
    if (entry && object.die_at(entry->die, subprogram) && dwarf_haspc(&subprogram, site.pc) == 1) return true;
    // Its code is in several parts. This walks the whole unit.
    Dwarf_Die *scopes = nullptr;
    const int count = dwarf_getscopes_die(&instance, &scopes);
    bool found = false;
    for (int i = 0; i < count && !found; ++i) {
        found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram;
        if (found) subprogram = scopes[i];
    }
    free(scopes);
    return found;
}

// Calls `read`, Place(const LocationContext &), with the context of the site.
template <typename Read>
static ctypes::Place read_at(const Object &object, const Index &index, const CodeSite &site, Read read) {
    Dwarf_Die function, outer;
    LocationContext context{object, site.pc, nullptr, site.at_entry};
    if (!object.die_at(site.function, function)) return read(context);
    // The frame base belongs to the subprogram.
    const bool in_another =
        dwarf_tag(&function) == DW_TAG_inlined_subroutine && find_subprogram(object, index, site, function, outer);
    context.function = in_another ? &outer : &function;
    return read(context);
}

ctypes::Place place_of_variable(const Object &object, const Index &index, const CodeSite &site,
                                const ScopeVariable &variable) {
    Dwarf_Die die;
    if (!object.die_at(variable.die, die)) return ctypes::absent("its description cannot be read");
    return read_at(object, index, site, [&](const LocationContext &context) { return locate(&die, context); });
}

ctypes::Place measure_at(const Object &object, const Index &index, const Types &types, const CodeSite &site,
                         ctypes::TypeId type) {
    return read_at(object, index, site, [&](const LocationContext &context) { return types.measure(type, context); });
}

ctypes::Type return_type(const Object &object, const Types &types, const CodeSite &site) {
    Dwarf_Die function;
    if (!object.die_at(site.function, function)) return {};
    return {&types, types.type_of(&function)};
}

}  // namespace tapir::dwarf
