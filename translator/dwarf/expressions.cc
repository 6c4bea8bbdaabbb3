// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/expressions.h"

#include <dwarf.h>

namespace tapir::dwarf {

// Both forms are a length in LEB128 and as many bytes; below 128 a length of one byte is the same.
static Dwarf_Attribute as_expression(Dwarf_Attribute attribute) {
    constexpr unsigned char kLongerThanOneByte = 0x80;
    if (attribute.form == DW_FORM_block || (attribute.form == DW_FORM_block1 && *attribute.valp < kLongerThanOneByte))
        attribute.form = DW_FORM_exprloc;
    return attribute;
}

int expression_of(const Dwarf_Attribute &attribute, Dwarf_Op *&ops, size_t &count) {
    Dwarf_Attribute expression = as_expression(attribute);
    return dwarf_getlocation(&expression, &ops, &count);
}

int expression_at(const Dwarf_Attribute &attribute, Dwarf_Addr pc, Dwarf_Op *&ops, size_t &count) {
    Dwarf_Attribute expression = as_expression(attribute);
    return dwarf_getlocation_addr(&expression, pc, &ops, &count, 1);
}

std::optional<size_t> jump_target(const Dwarf_Op *ops, size_t count, size_t jump) {
    constexpr Dwarf_Word kJumpBytes = 3;
    const auto by = static_cast<int16_t>(ops[jump].number);
    if (by < 0) return std::nullopt;
    const Dwarf_Word offset = ops[jump].offset + kJumpBytes + static_cast<Dwarf_Word>(by);
    size_t to = jump + 1;
    while (to < count && ops[to].offset < offset)
        ++to;
    return to;
}

}  // namespace tapir::dwarf
