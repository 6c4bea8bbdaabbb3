// SPDX-License-Identifier: GPL-2.0-or-later
// The attributes of a DIE that an index needs, read in one pass.
#pragma once

#include "dwarf/object.h"

namespace tapir::dwarf {

struct Attributes {
    const char *name = nullptr, *linkage_name = nullptr;
    Dwarf_Word file = 0, line = 0, inlined = 0;
    bool external = false, declaration = false, low_pc = false, ranges = false, location = false, const_value = false;
    Dwarf_CU *file_unit = nullptr;  // whose files `file` counts
    Dwarf_Attribute origin = {}, specification = {};
    bool has_origin = false, has_specification = false;
    // The DIE that all this began with: a declaration in its class, the abstract instance of a function.
    Dwarf_Die declared = {};
    bool refers() const { return has_origin || has_specification; }
};

// Returns the attributes of a DIE, completed by those of the DIE that it refers to.
Attributes attributes_of(Dwarf_Die *die, int depth = 0);

}  // namespace tapir::dwarf
