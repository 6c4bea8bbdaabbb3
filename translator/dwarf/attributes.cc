// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/attributes.h"

#include <dwarf.h>

namespace tapir::dwarf {

namespace {

int read_attribute(Dwarf_Attribute *attribute, void *out) {
    auto &a = *static_cast<Attributes *>(out);
    switch (dwarf_whatattr(attribute)) {
        case DW_AT_name:
            a.name = dwarf_formstring(attribute);
            break;
        case DW_AT_linkage_name:
        case DW_AT_MIPS_linkage_name:
            a.linkage_name = dwarf_formstring(attribute);
            break;
        case DW_AT_decl_file:
            dwarf_formudata(attribute, &a.file);
            a.file_unit = attribute->cu;
            break;
        case DW_AT_decl_line:
            dwarf_formudata(attribute, &a.line);
            break;
        case DW_AT_inline:
            dwarf_formudata(attribute, &a.inlined);
            break;
        case DW_AT_external:
            dwarf_formflag(attribute, &a.external);
            break;
        case DW_AT_declaration:
            dwarf_formflag(attribute, &a.declaration);
            break;
        case DW_AT_low_pc:
            a.low_pc = true;
            break;
        case DW_AT_ranges:
            a.ranges = true;
            break;
        case DW_AT_location:
            a.location = true;
            break;
        case DW_AT_const_value:
            a.const_value = true;
            break;
        case DW_AT_abstract_origin:
            a.origin = *attribute;
            a.has_origin = true;
            break;
        case DW_AT_specification:
            a.specification = *attribute;
            a.has_specification = true;
            break;
        default:
            break;
    }
    return DWARF_CB_OK;
}

}  // namespace

Attributes attributes_of(Dwarf_Die *die, int depth) {
    Attributes a;
    a.declared = *die;
    dwarf_getattrs(die, read_attribute, &a, 0);
    Dwarf_Die other;
    for (Dwarf_Attribute *reference :
         {a.has_origin ? &a.origin : nullptr, a.has_specification ? &a.specification : nullptr}) {
        if (!reference || depth > 3 || !dwarf_formref_die(reference, &other)) continue;
        const Attributes more = attributes_of(&other, depth + 1);
        a.declared = more.declared;
        if (!a.name) a.name = more.name;
        if (!a.linkage_name) a.linkage_name = more.linkage_name;
        if (!a.file_unit) {  // in DWARF 5, 0 is a file
            a.file = more.file;
            a.file_unit = more.file_unit;
        }
        if (!a.line) a.line = more.line;
        a.external = a.external || more.external;
    }
    return a;
}

}  // namespace tapir::dwarf
