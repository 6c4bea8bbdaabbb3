// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/types.h"

#include <dwarf.h>

#include "dwarf/units.h"

namespace tapir::dwarf {

using ctypes::Encoding;
using ctypes::Enumerator;
using ctypes::Member;
using ctypes::TypeId;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

// A TypeId: the id of the DIE; for an array of several dimensions, which of them.
constexpr int kDimensionShift = 56;
constexpr TypeId kDimensionMask = TypeId{0x3f} << kDimensionShift;
static_assert((kDimensionMask & (kInSupplement | kInTypeUnit)) == 0);

bool flag(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    bool value = false;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &value) == 0 && value;
}

std::optional<uint64_t> number(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return std::nullopt;
    return value;
}

std::string name_of(Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    return name ? name : "";
}

TypeKind kind_of(int tag) {
    switch (tag) {
        case DW_TAG_base_type:
            return TypeKind::Integer;  // or Float, by its encoding
        case DW_TAG_pointer_type:
        case DW_TAG_reference_type:
        case DW_TAG_rvalue_reference_type:
            return TypeKind::Pointer;
        case DW_TAG_array_type:
            return TypeKind::Array;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            return TypeKind::Struct;
        case DW_TAG_union_type:
            return TypeKind::Union;
        case DW_TAG_enumeration_type:
            return TypeKind::Enum;
        case DW_TAG_subroutine_type:
        case DW_TAG_subprogram:
            return TypeKind::Function;
        case DW_TAG_typedef:
            return TypeKind::Typedef;
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
        case DW_TAG_immutable_type:
        case DW_TAG_packed_type:
        case DW_TAG_shared_type:
            return TypeKind::Qualified;
        default:
            return TypeKind::Unknown;
    }
}

std::string_view qualifier_of(int tag) {
    switch (tag) {
        case DW_TAG_const_type:
            return "const";
        case DW_TAG_volatile_type:
            return "volatile";
        case DW_TAG_restrict_type:
            return "restrict";
        case DW_TAG_atomic_type:
            return "_Atomic";
        default:
            return "";
    }
}

void set_encoding(TypeInfo &info, uint64_t encoding) {
    switch (encoding) {
        case DW_ATE_signed:
            info.encoding = Encoding::Signed;
            break;
        case DW_ATE_signed_char:
            info.encoding = Encoding::SignedChar;
            break;
        case DW_ATE_unsigned_char:
        case DW_ATE_UTF:
            info.encoding = Encoding::UnsignedChar;
            break;
        case DW_ATE_boolean:
            info.encoding = Encoding::Boolean;
            break;
        case DW_ATE_float:
        case DW_ATE_complex_float:
        case DW_ATE_imaginary_float:
        case DW_ATE_decimal_float:
            if (info.kind == TypeKind::Integer) info.kind = TypeKind::Float;
            break;
        default:
            info.encoding = Encoding::Unsigned;
            break;
    }
}

// Elements of a dimension; 0 when it has no bound.
uint64_t subrange_count(Dwarf_Die *subrange) {
    if (const auto count = number(subrange, DW_AT_count)) return *count;
    const auto upper = number(subrange, DW_AT_upper_bound);
    // GCC writes -1 for an array of no elements.
    if (!upper || *upper == UINT64_MAX || *upper == UINT32_MAX) return 0;
    return *upper - number(subrange, DW_AT_lower_bound).value_or(0) + 1;
}

bool is_subrange(Dwarf_Die *die) {
    const int tag = dwarf_tag(die);
    return tag == DW_TAG_subrange_type || tag == DW_TAG_enumeration_type;
}

// Places a bit-field: DW_AT_data_bit_offset, or DWARF 2's DW_AT_bit_offset, which counts from the most significant bit
// of a storage unit.
void place_bits(Dwarf_Die *die, Member &member, uint64_t storage_bytes) {
    const auto size = number(die, DW_AT_bit_size);
    if (!size) return;
    member.bit_size = static_cast<uint32_t>(*size);
    if (const auto offset = number(die, DW_AT_data_bit_offset)) {
        member.bit_offset = *offset;
    } else if (const auto from_top = number(die, DW_AT_bit_offset)) {
        const uint64_t storage = number(die, DW_AT_byte_size).value_or(storage_bytes);
        member.bit_offset += storage * 8 - *from_top - *size;
    }
}

}  // namespace

bool Types::die_of(TypeId id, Dwarf_Die &die) const {
    return id != 0 && object_.die_at(id & ~kDimensionMask, die);
}

TypeId Types::id_of(Dwarf_Die *die) const {
    return object_.id_of(die) & ~kDimensionMask;
}

TypeId Types::type_of(Dwarf_Die *die) const {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type)) return 0;
    // A type unit may be referred to by its signature through a declaration.
    Dwarf_Attribute signature;
    Dwarf_Die full;
    if (dwarf_attr(&type, DW_AT_signature, &signature) && dwarf_formref_die(&signature, &full)) type = full;
    return id_of(&type);
}

TypeInfo Types::array_info(Dwarf_Die *die, TypeId id) const {
    TypeInfo info;
    info.kind = TypeKind::Array;
    uint64_t dimension = (id & kDimensionMask) >> kDimensionShift;
    info.target = type_of(die);
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0) return info;
    bool found = false;
    do {
        if (!is_subrange(&child)) continue;
        if (found) {  // one more dimension below this one
            info.target = id + (TypeId{1} << kDimensionShift);
            break;
        }
        if (dimension-- > 0) continue;
        info.count = subrange_count(&child);
        found = true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return info;
}

TypeInfo Types::info(TypeId id) const {
    TypeInfo info;
    if (id == 0) return info;
    Dwarf_Die die;
    if (!die_of(id, die)) {
        info.kind = TypeKind::Unknown;
        return info;
    }
    const int tag = dwarf_tag(&die);
    info.kind = kind_of(tag);
    if (info.kind == TypeKind::Array) return array_info(&die, id);
    info.name = name_of(&die);
    info.declaration = flag(&die, DW_AT_declaration);
    info.target = type_of(&die);
    info.qualifier = qualifier_of(tag);
    info.size = number(&die, DW_AT_byte_size).value_or(0);
    if (info.kind == TypeKind::Pointer && info.size == 0) info.size = 8;
    if (info.kind == TypeKind::Integer || info.kind == TypeKind::Enum) {
        if (const auto encoding = number(&die, DW_AT_encoding)) {
            set_encoding(info, *encoding);
        } else if (info.kind == TypeKind::Enum) {
            for (const Enumerator &enumerator : enumerators(id))
                if (enumerator.value < 0) info.encoding = Encoding::Signed;
        }
    }
    return info;
}

std::vector<Member> Types::members(TypeId id) const {
    std::vector<Member> members;
    Dwarf_Die die, child;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return members;
    do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        if (flag(&child, DW_AT_external)) continue;  // a static member of C++
        Member member;
        member.name = tag == DW_TAG_member ? name_of(&child) : "";
        member.inherited = tag == DW_TAG_inheritance;
        member.type = type_of(&child);
        member.bit_offset = number(&child, DW_AT_data_member_location).value_or(0) * 8;
        if (number(&child, DW_AT_bit_size))
            place_bits(&child, member, ctypes::type_size({this, member.type}).value_or(0));
        members.push_back(std::move(member));
    } while (dwarf_siblingof(&child, &child) == 0);
    return members;
}

std::vector<Enumerator> Types::enumerators(TypeId id) const {
    std::vector<Enumerator> enumerators;
    Dwarf_Die die, child;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return enumerators;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Sword value = 0;
        if (dwarf_tag(&child) == DW_TAG_enumerator && dwarf_attr(&child, DW_AT_const_value, &attribute) &&
            dwarf_formsdata(&attribute, &value) == 0)
            enumerators.push_back({name_of(&child), value});
    } while (dwarf_siblingof(&child, &child) == 0);
    return enumerators;
}

std::vector<TypeId> Types::parameters(TypeId id) const {
    std::vector<TypeId> parameters;
    Dwarf_Die die, child;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return parameters;
    do {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter) parameters.push_back(type_of(&child));
    } while (dwarf_siblingof(&child, &child) == 0);
    return parameters;
}

namespace {

// The tags a type name may mean, most wanted first. "struct" also finds classes.
std::vector<unsigned> tags_of(std::string_view &name) {
    const auto prefixed = [&](std::string_view prefix) {
        if (name.substr(0, prefix.size()) != prefix) return false;
        name.remove_prefix(prefix.size());
        return true;
    };
    if (prefixed("struct ")) return {DW_TAG_structure_type, DW_TAG_class_type};
    if (prefixed("class ")) return {DW_TAG_class_type, DW_TAG_structure_type};
    if (prefixed("union ")) return {DW_TAG_union_type};
    if (prefixed("enum ")) return {DW_TAG_enumeration_type};
    return {DW_TAG_base_type,  DW_TAG_typedef,    DW_TAG_structure_type,
            DW_TAG_class_type, DW_TAG_union_type, DW_TAG_enumeration_type};
}

}  // namespace

std::optional<TypeId> Types::find_type(std::string_view name) const {
    const std::vector<unsigned> tags = tags_of(name);
    const auto found = index_.types(name);
    for (unsigned tag : tags)
        for (const TypeEntry &entry : found)
            if (entry.tag == tag) return entry.die;
    return std::nullopt;
}

std::optional<TypeId> Types::find_type(std::string_view name, Dwarf_Die unit) const {
    std::string_view bare = name;
    const std::vector<unsigned> tags = tags_of(bare);
    const std::string wanted(bare);
    std::optional<TypeId> best;
    size_t best_rank = tags.size();
    if (index_.types(bare).empty()) return std::nullopt;
    for_top_level(object_, unit, [&](Dwarf_Die *child) {
        const auto tag = static_cast<unsigned>(dwarf_tag(child));
        for (size_t rank = 0; rank < best_rank; ++rank) {
            if (tags[rank] != tag) continue;
            const char *die_name = dwarf_diename(child);
            if (die_name && wanted == die_name && !flag(child, DW_AT_declaration)) {
                best = id_of(child);
                best_rank = rank;
            }
            break;
        }
        return best_rank > 0;
    });
    return best ? best : find_type(name);
}

}  // namespace tapir::dwarf
