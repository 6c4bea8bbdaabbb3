// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/unit_scopes.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

namespace tapir::dwarf {

bool has_scopes(uint64_t language) {
    switch (language) {
        case DW_LANG_C89:
        case DW_LANG_C:
        case DW_LANG_C99:
        case DW_LANG_C11:
            return false;
        default:
            return true;
    }
}

uint64_t language_of(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    Dwarf_Word language = 0;
    if (dwarf_attr(unit, DW_AT_language, &attribute)) dwarf_formudata(&attribute, &language);
    return language;
}

const char *scope_name(Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    if (name && *name) return name;
    if (dwarf_tag(die) == DW_TAG_namespace) return "(anonymous namespace)";
    // A stub for a type that has a type unit.
    Dwarf_Attribute signature;
    Dwarf_Die full;
    if (dwarf_attr(die, DW_AT_signature, &signature) && dwarf_formref_die(&signature, &full) &&
        (name = dwarf_diename(&full)) && *name)
        return name;
    // The class of a lambda expression has an operator().
    Dwarf_Die child;
    if (dwarf_child(die, &child) == 0) do {
            const char *method = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : nullptr;
            if (method && std::strncmp(method, "operator()", 10) == 0) return "<lambda>";
        } while (dwarf_siblingof(&child, &child) == 0);
    return "(anonymous)";
}

UnitScopes::UnitScopes(Dwarf_Die unit) {
    walk(&unit, 0, 0);
}

std::vector<std::string_view> UnitScopes::of(Dwarf_Off die) const {
    std::vector<std::string_view> names;
    const auto found = scope_of_.find(die);
    for (uint32_t scope = found == scope_of_.end() ? 0 : found->second; scope != 0; scope = scopes_[scope].parent)
        names.emplace_back(scopes_[scope].name);
    std::reverse(names.begin(), names.end());
    return names;
}

uint32_t UnitScopes::enter(uint32_t parent, Dwarf_Die *die) {
    scopes_.push_back({parent, scope_name(die)});
    return static_cast<uint32_t>(scopes_.size() - 1);
}

// A DIE that is declared in one scope may be defined in another.
uint32_t UnitScopes::declared_scope(Dwarf_Die *die, uint32_t scope) const {
    Dwarf_Attribute attribute;
    Dwarf_Die declaration;
    if (!dwarf_attr(die, DW_AT_specification, &attribute) || !dwarf_formref_die(&attribute, &declaration) ||
        declaration.cu != die->cu)
        return scope;
    const auto found = scope_of_.find(dwarf_dieoffset(&declaration));
    return found == scope_of_.end() ? scope : found->second;
}

void UnitScopes::walk(Dwarf_Die *parent, uint32_t scope, int depth) {
    Dwarf_Die child;
    if (depth > kMaxScopeDepth || dwarf_child(parent, &child) != 0) return;
    do {
        switch (dwarf_tag(&child)) {
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_union_type:
            case DW_TAG_subprogram: {
                const uint32_t own = declared_scope(&child, scope);
                if (own) scope_of_[dwarf_dieoffset(&child)] = own;
                walk(&child, enter(own, &child), depth + 1);
                break;
            }
            case DW_TAG_lexical_block:
                walk(&child, scope, depth + 1);
                break;
            case DW_TAG_enumeration_type:
            case DW_TAG_typedef:
            case DW_TAG_variable:
            case DW_TAG_member:
                if (const uint32_t own = declared_scope(&child, scope)) scope_of_[dwarf_dieoffset(&child)] = own;
                break;
            default:
                break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace tapir::dwarf
