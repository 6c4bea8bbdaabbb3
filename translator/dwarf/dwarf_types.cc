// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_types.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

#include "dwarf/numbers.h"
#include "dwarf/top_level.h"
#include "names/qualified_name.h"

namespace tapir::dwarf {

using ctypes::Encoding;
using ctypes::Enumerator;
using ctypes::Member;
using ctypes::TypeId;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

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
        case DW_TAG_template_alias:
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

// Interprets the bits of a base type. An unknown encoding is not read as a number of any kind.
void set_encoding(TypeInfo &info, const Number &encoding) {
    if (!encoding.is_constant()) {
        info.unread = "how it is encoded is not known";
        return;
    }
    switch (encoding.value) {
        case DW_ATE_signed:
            info.encoding = Encoding::Signed;
            break;
        case DW_ATE_signed_char:
            info.encoding = Encoding::SignedChar;
            break;
        case DW_ATE_unsigned_char:
        case DW_ATE_UTF:
        case DW_ATE_ASCII:
        case DW_ATE_UCS:
            info.encoding = Encoding::UnsignedChar;
            break;
        case DW_ATE_boolean:
            info.encoding = Encoding::Boolean;
            break;
        case DW_ATE_unsigned:
        case DW_ATE_address:
            info.encoding = Encoding::Unsigned;
            break;
        case DW_ATE_float:
            if (info.kind == TypeKind::Integer) info.kind = TypeKind::Float;
            break;
        case DW_ATE_complex_float:
        case DW_ATE_imaginary_float:
            if (info.kind == TypeKind::Integer) info.kind = TypeKind::Float;
            if (encoding.value == DW_ATE_complex_float) info.encoding = Encoding::Complex;
            info.unread = "it is a complex number";
            break;
        case DW_ATE_decimal_float:
            if (info.kind == TypeKind::Integer) info.kind = TypeKind::Float;
            info.encoding = Encoding::Decimal;
            info.unread = "it is a decimal number";
            break;
        case DW_ATE_packed_decimal:
        case DW_ATE_numeric_string:
        case DW_ATE_edited:
        case DW_ATE_signed_fixed:
        case DW_ATE_unsigned_fixed:
            info.unread = "it is a decimal or fixed-point number";
            break;
        default:
            info.unread = "how it is encoded is not known";
            break;
    }
}

}  // namespace

bool Types::die_of(TypeId id, Dwarf_Die &die) const {
    return id != 0 && id != kUnknownType && object_.die_at(id & ~kDimensionMask, die);
}

TypeId Types::id_of(Dwarf_Die *die) const {
    return object_.id_of(die) & ~kDimensionMask;
}

TypeId Types::type_of(Dwarf_Die *die) const {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute)) return 0;
    if (!dwarf_formref_die(&attribute, &type)) return kUnknownType;
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

// Bytes of values of a type that has no parts.
void Types::set_size(Dwarf_Die *die, TypeInfo &info) const {
    const Number bytes = number_of(die, DW_AT_byte_size);
    info.size = bytes.constant().value_or(0);
    switch (info.kind) {
        case TypeKind::Struct:
        case TypeKind::Union:
            info.computed = !bytes.is_constant() && !info.declaration;
            return;
        case TypeKind::Pointer: {
            uint8_t address = 0;
            if (!bytes.is_absent()) break;
            dwarf_cu_info(die->cu, nullptr, nullptr, nullptr, nullptr, nullptr, &address, nullptr);
            info.size = address;
            return;
        }
        case TypeKind::Enum:
            if (bytes.is_absent() && info.target) info.size = ctypes::type_size({this, info.target}).value_or(0);
            break;
        case TypeKind::Integer:
        case TypeKind::Float:
            break;
        default:
            return;
    }
    if (info.size == 0 && !info.declaration) info.unread = "its size is not known";
}

TypeInfo Types::info(TypeId id) const {
    TypeInfo info;
    if (id == 0) return info;
    Dwarf_Die die;
    if (!die_of(id, die)) {
        info.kind = TypeKind::Unknown;
        info.unread = "debug information refers to a type that it does not have";
        return info;
    }
    const int tag = dwarf_tag(&die);
    info.kind = kind_of(tag);
    if (info.kind == TypeKind::Array) return array_info(&die, id);
    info.name = qualified_name(&die);
    if (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type)
        info.reference = tag == DW_TAG_reference_type ? 1 : 2;
    if (tag == DW_TAG_ptr_to_member_type) info.name = "pointer to member";
    info.alignment = number_of(&die, DW_AT_alignment).constant().value_or(0);
    info.declaration = own_flag_of(&die, DW_AT_declaration);  // a definition may refer to a declaration
    info.target = type_of(&die);
    info.qualifier = qualifier_of(tag);
    const Number encoding = number_of(&die, DW_AT_encoding), order = number_of(&die, DW_AT_endianity);
    if (info.kind == TypeKind::Integer || (info.kind == TypeKind::Enum && !encoding.is_absent()))
        set_encoding(info, encoding);
    else if (info.kind == TypeKind::Enum)
        info.encoding = encoding_of_enumeration(id, info.target);
    set_size(&die, info);
    // Itanium C++ ABI, section 2.3: an offset, or a function and an offset for the object's address.
    if (tag == DW_TAG_ptr_to_member_type && info.size == 0)
        info.size = ctypes::Type{this, info.target}.stripped().info().kind == TypeKind::Function ? 16 : 8;
    if (!order.is_absent() && order.constant() != DW_END_default && order.constant() != DW_END_little)
        info.unread = "its bytes are in another order than the processor's";
    return info;
}

// Returns the encoding of its underlying type, else the one that its enumerators need.
Encoding Types::encoding_of_enumeration(TypeId id, TypeId underlying) const {
    if (const TypeInfo of = ctypes::Type{this, underlying}.stripped().info();
        underlying && of.kind == TypeKind::Integer)
        return of.encoding;
    for (const Enumerator &enumerator : enumerators(id))
        if (enumerator.value < 0) return Encoding::Signed;
    return Encoding::Unsigned;
}

std::vector<Enumerator> Types::enumerators(TypeId id) const {
    std::vector<Enumerator> enumerators;
    Dwarf_Die die, child;
    if (!die_of(id, die) || dwarf_child(&die, &child) != 0) return enumerators;
    do {
        if (dwarf_tag(&child) != DW_TAG_enumerator) continue;
        const Number value = number_of(&child, DW_AT_const_value);
        if (value.is_constant()) enumerators.push_back({name_of(&child), value.value});
    } while (dwarf_siblingof(&child, &child) == 0);
    return enumerators;
}

namespace {

bool is_virtual(Dwarf_Die *die) {
    const Number virtuality = number_of(die, DW_AT_virtuality);
    return !virtuality.is_absent() && virtuality.constant() != DW_VIRTUALITY_none;
}

// A destructor, copy or move constructor of a class that its sources have written (Itanium C++ ABI, section 1.1:
// non-trivial for the purposes of calls).
bool is_copying_function(Dwarf_Die *function, const char *class_name) {
    const char *name = dwarf_diename(function);
    if (!name || flag_of(function, DW_AT_artificial) || flag_of(function, DW_AT_deleted)) return false;
    if (number_of(function, DW_AT_defaulted).constant() == DW_DEFAULTED_in_class) return false;
    if (*name == '~') return true;
    Dwarf_Die parameter, type;
    Dwarf_Attribute attribute;
    if (!class_name || std::strcmp(name, class_name) != 0 || dwarf_child(function, &parameter) != 0) return false;
    // The first is the object itself.
    do {
        if (dwarf_tag(&parameter) != DW_TAG_formal_parameter || flag_of(&parameter, DW_AT_artificial)) continue;
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
    if (const auto convention = number_of(&die, DW_AT_calling_convention).constant())
        return *convention == DW_CC_pass_by_reference;
    if (dwarf_child(&die, &child) != 0) return false;
    const char *const name = dwarf_diename(&die);
    do {
        switch (dwarf_tag(&child)) {
            case DW_TAG_subprogram:
                if (is_virtual(&child) || is_copying_function(&child, name)) return true;
                break;
            case DW_TAG_inheritance:
                if (is_virtual(&child)) return true;
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
    for (const auto mode : {NamePattern::Mode::Exact, NamePattern::Mode::Loose}) {
        if (best || (mode == NamePattern::Mode::Loose && !pattern.has_arguments())) break;
        for (const TypeEntry *entry : index_.types_of_base(pattern.base())) {
            const std::string_view own = index_.text(entry->name);
            if (any_arguments && own.size() != pattern.last().size()) continue;
            const auto tag = static_cast<size_t>(std::find(tags.begin(), tags.end(), entry->tag) - tags.begin());
            const std::pair<size_t, size_t> rank = {tag, index_.parts(entry->scope, entry->name).size()};
            if (rank >= best_rank || !index_.matches(pattern, entry->scope, entry->name, mode)) continue;
            best = entry->die;
            best_rank = rank;
        }
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
            if (die_name && wanted == die_name && !own_flag_of(child, DW_AT_declaration)) {
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
