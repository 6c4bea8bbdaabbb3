// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_types.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

#include "dwarf/location.h"
#include "dwarf/units.h"
#include "names/qualified_name.h"

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

// The place of a virtual base: the object's address is followed to its virtual table, and what that has `in_table`
// bytes on is added (Itanium C++ ABI, section 2.5.2). That is the only computed place compilers write.
std::optional<int64_t> virtual_base_of(Dwarf_Die *inheritance) {
    Dwarf_Attribute attribute;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!dwarf_attr(inheritance, DW_AT_data_member_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 6)
        return std::nullopt;
    static constexpr uint8_t kRest[] = {DW_OP_deref, DW_OP_plus};
    const bool known = ops[0].atom == DW_OP_dup && ops[1].atom == DW_OP_deref && ops[4].atom == kRest[0] &&
                       ops[5].atom == kRest[1] && (ops[3].atom == DW_OP_minus || ops[3].atom == DW_OP_plus);
    int64_t offset = 0;
    if (ops[2].atom >= DW_OP_lit0 && ops[2].atom <= DW_OP_lit31)
        offset = ops[2].atom - DW_OP_lit0;
    else if (ops[2].atom >= DW_OP_const1u && ops[2].atom <= DW_OP_consts)
        offset = static_cast<int64_t>(ops[2].number);
    else
        return std::nullopt;
    return known ? std::optional(ops[3].atom == DW_OP_minus ? -offset : offset) : std::nullopt;
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

// With its scopes, of units whose language has any.
std::string Types::qualified_name(Dwarf_Die *die) const {
    std::string name = name_of(die);
    const int tag = dwarf_tag(die);
    if (name.empty() || tag == DW_TAG_base_type) return name;
    auto [at, is_new] = scopes_.try_emplace(die->cu, nullptr);
    Dwarf_Die unit;
    if (is_new && dwarf_diecu(die, &unit, nullptr, nullptr) && has_scopes(language_of(&unit)))
        at->second = std::make_unique<UnitScopes>(unit);
    if (!at->second) return name;
    std::vector<std::string_view> parts = at->second->of(dwarf_dieoffset(die));
    if (parts.empty()) return name;
    parts.push_back(name);
    return join_name(parts);
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
    info.name = qualified_name(&die);
    if (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
        info.reference = tag == DW_TAG_reference_type ? 1 : 2;
    if (tag == DW_TAG_ptr_to_member_type) info.name = "pointer to member";
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

// Places a bit-field: DW_AT_data_bit_offset, or DWARF 2's DW_AT_bit_offset, which counts from the most significant bit
// of a storage unit.
void Types::place_bits(Dwarf_Die *die, Member &member) const {
    const auto size = number(die, DW_AT_bit_size);
    if (!size) return;
    member.bit_size = static_cast<uint32_t>(*size);
    if (const auto offset = number(die, DW_AT_data_bit_offset)) {
        member.bit_offset = *offset;
    } else if (const auto from_top = number(die, DW_AT_bit_offset)) {
        const uint64_t storage_bytes = ctypes::type_size({this, member.type}).value_or(0);
        const uint64_t storage = number(die, DW_AT_byte_size).value_or(storage_bytes);
        member.bit_offset += storage * 8 - *from_top - *size;
    }
}

// Where the static member that is declared so is defined.
std::shared_ptr<const ctypes::Place> Types::static_place(Dwarf_Die *member, const std::string &name) const {
    if (dwarf_hasattr(member, DW_AT_const_value))
        return std::make_shared<ctypes::Place>(locate(member, {object_, 0, nullptr, false}));
    const std::string full_name = qualified_name(member);
    for (const VariableEntry &entry : index_.variables(name)) {
        Dwarf_Die definition;
        if (index_.qualified_name(entry.scope, entry.name) == full_name && object_.die_at(entry.die, definition))
            return std::make_shared<ctypes::Place>(locate(&definition, {object_, 0, nullptr, false}));
    }
    return std::make_shared<ctypes::Place>(ctypes::absent("it is defined nowhere in this object"));
}

Member Types::member_of(Dwarf_Die *die) const {
    const int tag = dwarf_tag(die);
    Member member;
    member.name = tag == DW_TAG_inheritance ? "" : name_of(die);
    member.inherited = tag == DW_TAG_inheritance;
    member.type = type_of(die);
    if (tag == DW_TAG_variable || (tag == DW_TAG_member && flag(die, DW_AT_external) && flag(die, DW_AT_declaration))) {
        member.place = static_place(die, member.name);
        return member;
    }
    member.bit_offset = number(die, DW_AT_data_member_location).value_or(0) * 8;
    if (member.inherited) member.virtual_base = virtual_base_of(die);
    place_bits(die, member);
    return member;
}

std::vector<Member> Types::members(TypeId id) const {
    std::vector<Member> members;
    Dwarf_Die die, child;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return members;
    do {
        switch (dwarf_tag(&child)) {
            case DW_TAG_member:
            case DW_TAG_inheritance:
            case DW_TAG_variable:
                members.push_back(member_of(&child));
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

constexpr const char *kDiscriminant = "discriminant";

// The values of the discriminant that a variant is there for.
void add_values(Dwarf_Die *variant, std::vector<int64_t> &values) {
    Dwarf_Attribute attribute;
    Dwarf_Sword sign = 0;
    Dwarf_Word word = 0;
    if (!dwarf_attr(variant, DW_AT_discr_value, &attribute)) return;
    if (dwarf_formsdata(&attribute, &sign) == 0)
        values.push_back(sign);
    else if (dwarf_formudata(&attribute, &word) == 0)
        values.push_back(static_cast<int64_t>(word));
}

}  // namespace

std::optional<ctypes::VariantPart> Types::variants(TypeId id) const {
    Dwarf_Die die, child, inner, member;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return std::nullopt;
    while (dwarf_tag(&child) != DW_TAG_variant_part)
        if (dwarf_siblingof(&child, &child) != 0) return std::nullopt;
    ctypes::VariantPart part;
    if (dwarf_child(&child, &inner) != 0) return part;
    do {
        if (dwarf_tag(&inner) == DW_TAG_member) {
            part.discriminant = member_of(&inner);
        } else if (dwarf_tag(&inner) == DW_TAG_variant && dwarf_child(&inner, &member) == 0) {
            auto &variant = part.variants.emplace_back();
            add_values(&inner, variant.values);
            variant.member = member_of(&member);
        }
    } while (dwarf_siblingof(&inner, &inner) == 0);
    return part;
}

void Types::add_members(Dwarf_Die *variant_part, std::vector<Member> &members) const {
    Dwarf_Die child, member;
    if (dwarf_child(variant_part, &child) != 0) return;
    do {
        const bool discriminant = dwarf_tag(&child) == DW_TAG_member;
        if (discriminant)
            member = child;
        else if (dwarf_tag(&child) != DW_TAG_variant || dwarf_child(&child, &member) != 0)
            continue;
        members.push_back(member_of(&member));
        members.back().in_variant = true;
        if (discriminant) members.back().name = kDiscriminant;
    } while (dwarf_siblingof(&child, &child) == 0);
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

namespace {

// A destructor, copy or move constructor of a class that its sources have written (Itanium C++ ABI, section 1.1:
// non-trivial for the purposes of calls).
bool is_copying_function(Dwarf_Die *function, const char *class_name) {
    const char *name = dwarf_diename(function);
    if (!name || flag(function, DW_AT_artificial) || flag(function, DW_AT_deleted)) return false;
    if (number(function, DW_AT_defaulted).value_or(DW_DEFAULTED_no) == DW_DEFAULTED_in_class) return false;
    if (*name == '~') return true;
    Dwarf_Die parameter, type;
    Dwarf_Attribute attribute;
    if (!class_name || std::strcmp(name, class_name) != 0 || dwarf_child(function, &parameter) != 0) return false;
    // The first is the object itself.
    do {
        if (dwarf_tag(&parameter) != DW_TAG_formal_parameter || flag(&parameter, DW_AT_artificial)) continue;
        if (!dwarf_attr(&parameter, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type)) return false;
        const int tag = dwarf_tag(&type);
        if (tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type) return false;
        if (!dwarf_attr(&type, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type) ||
            dwarf_peel_type(&type, &type) != 0)
            return false;
        const char *of = dwarf_diename(&type);
        return of && std::strcmp(of, class_name) == 0;
    } while (dwarf_siblingof(&parameter, &parameter) == 0);
    return false;
}

}  // namespace

bool Types::is_copied_by_function(TypeId id) const {
    return is_copied_by_function(id, 0);
}

bool Types::is_copied_by_function(TypeId id, int depth) const {
    constexpr int kMaxDepth = 8;  // of bases and members within each other
    const ctypes::Type plain = ctypes::Type{this, id}.stripped().completed();
    Dwarf_Die die, child;
    if (depth > kMaxDepth || !die_of(plain.id, die)) return false;
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type) return false;
    if (const auto convention = number(&die, DW_AT_calling_convention)) return *convention == DW_CC_pass_by_reference;
    if (dwarf_child(&die, &child) != 0) return false;
    const char *const name = dwarf_diename(&die);
    do {
        switch (dwarf_tag(&child)) {
            case DW_TAG_subprogram:
                if (number(&child, DW_AT_virtuality) || is_copying_function(&child, name)) return true;
                break;
            case DW_TAG_inheritance:
                if (number(&child, DW_AT_virtuality)) return true;
                [[fallthrough]];
            case DW_TAG_member:
                if (is_copied_by_function(type_of(&child), depth + 1)) return true;
                break;
            default:
                break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
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

// The tag that is wanted most, then the type in the fewest scopes.
std::optional<TypeId> Types::find_type(std::string_view name) const {
    const std::vector<unsigned> tags = tags_of(name);
    const NamePattern pattern(name);
    const bool any_arguments = pattern.base().size() == pattern.last().size();
    std::optional<TypeId> best;
    std::pair<size_t, size_t> best_rank = {tags.size(), 0};
    for (const TypeEntry *entry : index_.types_of_base(pattern.base())) {
        const std::string_view own = index_.text(entry->name);
        if (any_arguments && own.size() != pattern.last().size()) continue;
        const std::vector<std::string_view> parts = index_.parts(entry->scope, entry->name);
        const auto tag = static_cast<size_t>(std::find(tags.begin(), tags.end(), entry->tag) - tags.begin());
        const std::pair<size_t, size_t> rank = {tag, parts.size()};
        if (rank >= best_rank || !pattern.matches(parts, NamePattern::Mode::Exact)) continue;
        best = entry->die;
        best_rank = rank;
    }
    return best;
}

std::optional<TypeId> Types::find_type_from(std::string_view name, std::string_view function) const {
    const std::string_view kinds[] = {"struct ", "class ", "union ", "enum "};
    std::string_view bare = name;
    for (std::string_view kind : kinds)
        if (bare.starts_with(kind)) bare.remove_prefix(kind.size());
    const std::string kind(name.substr(0, name.size() - bare.size()));
    std::vector<std::string_view> scopes = split_name(function).parts;
    while (scopes.size() > 1) {
        scopes.pop_back();
        if (auto found = find_type(kind + "::" + join_name(scopes) + "::" + std::string(bare))) return found;
    }
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
