// SPDX-License-Identifier: GPL-2.0-or-later
// The top level of a unit. dwz moves DIEs that units have in common to units that these import.
#pragma once

#include <unordered_set>
#include <vector>

#include "dwarf/object.h"

namespace tapir::dwarf {

// Calls `visit`, bool(Dwarf_Die *), with the children of a unit, then with those of the units it imports, of the units
// these import and so on, each unit once, until it returns false.
template <typename Visit>
void for_top_level(const Object &object, const Dwarf_Die &unit, Visit visit) {
    std::vector<Dwarf_Die> units = {unit};
    std::unordered_set<uint64_t> seen = {object.id_of(&units[0])};
    for (size_t i = 0; i < units.size(); ++i) {
        Dwarf_Die child, imported;
        if (dwarf_child(&units[i], &child) != 0) continue;
        do {
            if (imported_unit(&child, imported)) {
                if (seen.insert(object.id_of(&imported)).second) units.push_back(imported);
            } else if (!visit(&child)) {
                return;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    }
}

}  // namespace tapir::dwarf
