// SPDX-License-Identifier: GPL-2.0-or-later
// Asks an object for everything there is: what crashes on damaged files is found here.
#pragma once

#include "dwarf/functions.h"

namespace tapir::dwarf {

inline void walk_all(const Object &object, const Index &index) {
    FunctionPattern all;
    all.function = "*";
    const std::vector<CodeSite> sites = find_functions(object, index, all, {true, true, false});
    const Types types(object, index);
    for (const CodeSite &site : sites) {
        for (const ScopeVariable &variable : variables_at(object, site)) {
            place_of_variable(object, index, site, variable);
            const ctypes::Type type = type_of_variable(object, types, variable);
            ctypes::type_name(type);
            ctypes::type_size(type);
            ctypes::member_names(type.stripped());
        }
        for (const VariableEntry &entry : index.variables())
            if (const auto variable = find_variable(object, index, site, index.text(entry.name)))
                place_of_variable(object, index, site, *variable);
        shown_file(index, site.file);
        index.function_at(site.pc);
        object.symbols().anchor_of(site.pc);
        site_at(object, index, site.pc);
        callers_of(object, index, site);
        behind_prologue(object, site, is_unoptimized(object, index, site.unit));
    }
    find_callees(object, index, sites, "*", 2);
    for (const TypeEntry &entry : index.types())
        types.find_type(index.text(entry.name));
    for (const EnumeratorEntry &entry : index.enumerators())
        index.enumerators(index.text(entry.name));
    all.file = "*";
    all.lines = FunctionPattern::Lines::All;
    find_statements(object, index, all);
    find_labels(object, index, all, "*");
}

}  // namespace tapir::dwarf
