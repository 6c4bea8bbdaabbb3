// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/numbers.h"

#include <dwarf.h>

namespace tapir::dwarf {

namespace {

// Up to DWARF 3 a place in these forms is the offset of a list of locations. libdw takes it for that in later versions,
// too, unless the attribute is one that has no lists.
std::optional<int64_t> fixed_constant(const Dwarf_Attribute &attribute) {
    Dwarf_Attribute plain = attribute;
    if (plain.code == DW_AT_data_member_location) {
        Dwarf_Half version = 0;
        if (dwarf_cu_info(plain.cu, &version, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) != 0 || version < 4)
            return std::nullopt;
        plain.code = DW_AT_byte_size;
    }
    Dwarf_Word number = 0;
    return dwarf_formudata(&plain, &number) == 0 ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

}  // namespace

std::optional<int64_t> constant_of(Dwarf_Attribute *attribute) {
    Dwarf_Word number = 0;
    Dwarf_Sword with_sign = 0;
    switch (dwarf_whatform(attribute)) {
        case DW_FORM_data1:
        case DW_FORM_data2:
        case DW_FORM_udata:
            if (dwarf_formudata(attribute, &number) == 0) return static_cast<int64_t>(number);
            return std::nullopt;
        case DW_FORM_data4:
        case DW_FORM_data8:
            return fixed_constant(*attribute);
        case DW_FORM_sdata:
        case DW_FORM_implicit_const:
            if (dwarf_formsdata(attribute, &with_sign) == 0) return with_sign;
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

bool flag_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    bool value = false;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &value) == 0 && value;
}

bool own_flag_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    bool value = false;
    return dwarf_attr(die, name, &attribute) && dwarf_formflag(&attribute, &value) == 0 && value;
}

Number number_of(Dwarf_Die *die, unsigned name) {
    Number number;
    if (!dwarf_attr_integrate(die, name, &number.attribute)) return number;
    if (const auto constant = constant_of(&number.attribute)) {
        number.kind = Number::Kind::Constant;
        number.value = *constant;
        return number;
    }
    switch (dwarf_whatform(&number.attribute)) {
        case DW_FORM_exprloc:
        case DW_FORM_block:
        case DW_FORM_block1:
        case DW_FORM_block2:
        case DW_FORM_block4:
        case DW_FORM_sec_offset:
        case DW_FORM_loclistx:
        case DW_FORM_ref1:
        case DW_FORM_ref2:
        case DW_FORM_ref4:
        case DW_FORM_ref8:
        case DW_FORM_ref_udata:
        case DW_FORM_ref_addr:
        case DW_FORM_GNU_ref_alt:
        case DW_FORM_ref_sup4:
        case DW_FORM_ref_sup8:
            number.kind = Number::Kind::Computed;
            return number;
        default:
            number.kind = Number::Kind::Unknown;
            return number;
    }
}

}  // namespace tapir::dwarf
