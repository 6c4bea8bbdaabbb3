// SPDX-License-Identifier: GPL-2.0-or-later
// Members of structures, classes and unions, and the variants of Rust's enumerations.
#include <dwarf.h>

#include "dwarf/dwarf_types.h"
#include "dwarf/numbers.h"

namespace tapir::dwarf {

using ctypes::Member;
using ctypes::TermOp;
using ctypes::TypeId;

namespace {

constexpr const char *kDiscriminant = "discriminant";

std::string member_name(Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    return name ? name : "";
}

// The distance of a place from TermOp::Object, if it is always the same.
std::optional<uint64_t> fixed_offset(const ctypes::Term &address) {
    if (address.op == TermOp::Object) return 0;
    if (address.op != TermOp::Add || address.operands[0]->op != TermOp::Object ||
        address.operands[1]->op != TermOp::Constant)
        return std::nullopt;
    return static_cast<uint64_t>(address.operands[1]->constant);
}

}  // namespace

// Where the structure has it: DW_AT_data_member_location, a number or an expression. Without one it is at the start;
// but GCC leaves out places that it cannot express, too.
void Types::place_member(Dwarf_Die *die, bool follows, Member &member) const {
    Number at = number_of(die, DW_AT_data_member_location);
    switch (at.kind) {
        case Number::Kind::Absent:
            if (follows && dwarf_tag(die) == DW_TAG_member && !dwarf_hasattr_integrate(die, DW_AT_data_bit_offset))
                member.unplaced = "debug information does not say where it is";
            return;
        case Number::Kind::Constant:
            member.bit_offset = static_cast<uint64_t>(at.value) * 8;
            return;
        case Number::Kind::Computed: {
            const ctypes::Place place = member_address(&at.attribute, LocationContext{.object = object_});
            const bool is_known = place.kind != ctypes::Place::Kind::Absent;
            const auto offset = is_known ? fixed_offset(*place.term) : std::nullopt;
            member.bit_offset = offset.value_or(0) * 8;
            member.is_computed = !offset;
            member.computed = offset ? nullptr : place.term;
            member.id = id_of(die);
            return;
        }
        case Number::Kind::Unknown:
            member.unplaced = "debug information says where it is in a way that is not known here";
            return;
    }
}

// Places a bit-field: DW_AT_data_bit_offset, or DWARF 2's DW_AT_bit_offset, which counts from the most significant bit
// of a storage unit.
void Types::place_bits(Dwarf_Die *die, Member &member) const {
    constexpr const char *kUnknown = "debug information says which bits it has in a way that is not known here";
    const Number size = number_of(die, DW_AT_bit_size), offset = number_of(die, DW_AT_data_bit_offset);
    const Number from_top = number_of(die, DW_AT_bit_offset);
    if (size.is_absent()) {
        if (offset.is_constant() && offset.value % 8 == 0)
            member.bit_offset += static_cast<uint64_t>(offset.value);
        else if (!offset.is_absent() || !from_top.is_absent())
            member.unplaced = kUnknown;
        return;
    }
    if (!size.is_constant() || size.value < 0 || size.value > UINT32_MAX) {
        member.unplaced = kUnknown;
        return;
    }
    member.bit_size = static_cast<uint32_t>(size.value);
    if (!offset.is_absent()) {
        if (!offset.is_constant()) member.unplaced = kUnknown;
        member.bit_offset += offset.constant().value_or(0);
    } else if (!from_top.is_absent()) {
        const Number own = number_of(die, DW_AT_byte_size);
        const auto storage = own.is_absent() ? ctypes::type_size({this, member.type}) : own.constant();
        if (!storage || !from_top.is_constant()) {
            member.unplaced = kUnknown;
            return;
        }
        member.bit_offset += *storage * 8 - static_cast<uint64_t>(from_top.value) - member.bit_size;
    }
}

// Where the static member that is declared so is defined.
std::shared_ptr<const ctypes::Place> Types::static_place(Dwarf_Die *member, const std::string &name) const {
    if (dwarf_hasattr(member, DW_AT_const_value))
        return std::make_shared<ctypes::Place>(locate(member, LocationContext{.object = object_}));
    const std::string full_name = qualified_name(member);
    for (const VariableEntry &entry : index_.variables(name)) {
        Dwarf_Die definition;
        if (!(entry.flags & kVariableDeclared) && index_.qualified_name(entry.scope, entry.name) == full_name &&
            object_.die_at(entry.die, definition))
            return std::make_shared<ctypes::Place>(locate(&definition, LocationContext{.object = object_}));
    }
    const ctypes::Place by_symbol = locate(member, LocationContext{.object = object_});
    if (by_symbol.kind != ctypes::Place::Kind::Absent) return std::make_shared<ctypes::Place>(by_symbol);
    return std::make_shared<ctypes::Place>(ctypes::absent("it is defined nowhere in this object"));
}

Member Types::member_of(Dwarf_Die *die, bool follows) const {
    const int tag = dwarf_tag(die);
    Member member;
    member.name = tag == DW_TAG_inheritance ? "" : member_name(die);
    member.inherited = tag == DW_TAG_inheritance;
    member.type = type_of(die);
    if (tag == DW_TAG_variable ||
        (tag == DW_TAG_member && flag_of(die, DW_AT_external) && flag_of(die, DW_AT_declaration))) {
        member.place = static_place(die, member.name);
        return member;
    }
    member.alignment = number_of(die, DW_AT_alignment).constant().value_or(0);
    place_member(die, follows, member);
    place_bits(die, member);
    return member;
}

std::vector<Member> Types::members(TypeId id) const {
    std::vector<Member> members;
    Dwarf_Die die, child;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return members;
    const bool overlap = dwarf_tag(&die) == DW_TAG_union_type;
    bool follows = false;  // something that has bytes
    do {
        switch (dwarf_tag(&child)) {
            case DW_TAG_member:
            case DW_TAG_inheritance:
            case DW_TAG_variable:
                members.push_back(member_of(&child, follows));
                if (!follows && !overlap && dwarf_tag(&child) == DW_TAG_member && !members.back().place)
                    follows = ctypes::type_size({this, members.back().type}) != uint64_t{0};
                break;
            case DW_TAG_variant_part:
                add_members(&child, members);
                break;
            default:
                break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return members;
}

namespace {

// The values of the discriminant that a variant is there for; false if they cannot be read.
bool add_values(Dwarf_Die *variant, std::vector<int64_t> &values) {
    const Number value = number_of(variant, DW_AT_discr_value);
    if (value.is_constant()) values.push_back(value.value);
    return (value.is_constant() || value.is_absent()) && !dwarf_hasattr(variant, DW_AT_discr_list);
}

}  // namespace

std::optional<ctypes::VariantPart> Types::variants(TypeId id) const {
    Dwarf_Die die, child, inner, member;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return std::nullopt;
    while (dwarf_tag(&child) != DW_TAG_variant_part)
        if (dwarf_siblingof(&child, &child) != 0) return std::nullopt;
    ctypes::VariantPart part;
    Dwarf_Attribute discriminant;
    if (dwarf_attr(&child, DW_AT_discr, &discriminant)) {
        if (dwarf_formref_die(&discriminant, &member))
            part.discriminant = member_of(&member);
        else
            part.unread = true;
    }
    if (dwarf_child(&child, &inner) != 0) return part;
    do {
        if (dwarf_tag(&inner) == DW_TAG_member && !part.discriminant) part.discriminant = member_of(&inner);
        if (dwarf_tag(&inner) != DW_TAG_variant || dwarf_child(&inner, &member) != 0) continue;
        auto &variant = part.variants.emplace_back();
        part.unread |= !add_values(&inner, variant.values);
        variant.member = member_of(&member);
        part.unread |= dwarf_siblingof(&member, &member) == 0;
    } while (dwarf_siblingof(&inner, &inner) == 0);
    return part;
}

void Types::add_members(Dwarf_Die *variant_part, std::vector<Member> &members) const {
    Dwarf_Die child, member;
    if (dwarf_child(variant_part, &child) != 0) return;
    do {
        if (dwarf_tag(&child) == DW_TAG_member) {
            members.push_back(member_of(&child));
            members.back().in_variant = true;
            members.back().name = kDiscriminant;
        } else if (dwarf_tag(&child) == DW_TAG_variant && dwarf_child(&child, &member) == 0) {
            do {
                if (dwarf_tag(&member) != DW_TAG_member) continue;
                members.push_back(member_of(&member));
                members.back().in_variant = true;
            } while (dwarf_siblingof(&member, &member) == 0);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace tapir::dwarf
