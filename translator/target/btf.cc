// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/btf.h"

#include <bpf/btf.h>

#include <bit>

namespace tapir::target {

using ctypes::Encoding;
using ctypes::Enumerator;
using ctypes::Member;
using ctypes::TypeId;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

constexpr int kMaxTags = 16;  // attributes in a row on one type

TypeKind kind_of(const btf_type *type) {
    switch (btf_kind(type)) {
        case BTF_KIND_INT:
            return TypeKind::Integer;
        case BTF_KIND_FLOAT:
            return TypeKind::Float;
        case BTF_KIND_PTR:
            return TypeKind::Pointer;
        case BTF_KIND_ARRAY:
            return TypeKind::Array;
        case BTF_KIND_STRUCT:
            return TypeKind::Struct;
        case BTF_KIND_UNION:
            return TypeKind::Union;
        case BTF_KIND_FWD:
            return btf_kflag(type) ? TypeKind::Union : TypeKind::Struct;
        case BTF_KIND_ENUM:
        case BTF_KIND_ENUM64:
            return TypeKind::Enum;
        case BTF_KIND_TYPEDEF:
            return TypeKind::Typedef;
        case BTF_KIND_CONST:
        case BTF_KIND_VOLATILE:
        case BTF_KIND_RESTRICT:
            return TypeKind::Qualified;
        case BTF_KIND_FUNC_PROTO:
            return TypeKind::Function;
        default:
            return TypeKind::Unknown;
    }
}

// Characters are plain integers to BTF; only their names differ.
Encoding encoding_of(const btf_type *type, std::string_view name) {
    const int bits = btf_int_encoding(type);
    if (bits & BTF_INT_BOOL) return Encoding::Boolean;
    if (name == "unsigned char") return Encoding::UnsignedChar;
    if (name == "char" || name == "signed char" || bits & BTF_INT_CHAR) return Encoding::SignedChar;
    return bits & BTF_INT_SIGNED ? Encoding::Signed : Encoding::Unsigned;
}

uint32_t hash_of(std::string_view name) {
    uint32_t hash = 2166136261u;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash ^ (hash >> 15);
}

// The kinds a type name may mean, most wanted first.
std::vector<TypeKind> kinds_of(std::string_view &name) {
    const auto prefixed = [&](std::string_view prefix) {
        if (!name.starts_with(prefix)) return false;
        name.remove_prefix(prefix.size());
        return true;
    };
    if (prefixed("struct ")) return {TypeKind::Struct};
    if (prefixed("union ")) return {TypeKind::Union};
    if (prefixed("enum ")) return {TypeKind::Enum};
    return {TypeKind::Integer, TypeKind::Float, TypeKind::Typedef, TypeKind::Struct, TypeKind::Union, TypeKind::Enum};
}

}  // namespace

std::unique_ptr<BtfTypes> BtfTypes::read(std::string blob, std::string &error, const BtfTypes *base) {
    std::unique_ptr<BtfTypes> types(new BtfTypes);
    types->blob_ = std::move(blob);
    types->base_ = base;
    error = check_btf(types->blob_, base ? &base->layout_ : nullptr, types->layout_);
    return error.empty() ? std::move(types) : nullptr;
}

const btf_type *BtfTypes::type(TypeId id) const {
    if (id < layout_.first) return base_ ? base_->type(id) : nullptr;
    if (id >= layout_.end()) return nullptr;
    return reinterpret_cast<const btf_type *>(blob_.data() + layout_.types[id - layout_.first]);
}

std::string_view BtfTypes::name(uint32_t offset) const {
    if (offset < layout_.first_string) return base_->name(offset);
    return blob_.data() + layout_.strings + (offset - layout_.first_string);
}

TypeId BtfTypes::without_tags(TypeId id) const {
    for (int depth = 0; depth < kMaxTags; ++depth) {
        const btf_type *t = type(id);
        if (!t || !btf_is_type_tag(t)) return id;
        id = t->type;
    }
    return id;
}

TypeInfo BtfTypes::info(TypeId id) const {
    TypeInfo info;
    id = without_tags(id);
    if (id == 0) return info;
    const btf_type *t = type(id);
    info.kind = t ? kind_of(t) : TypeKind::Unknown;
    if (!t || info.kind == TypeKind::Unknown) return info;
    info.name = name(t->name_off);
    switch (info.kind) {
        case TypeKind::Integer:
            info.encoding = encoding_of(t, info.name);
            info.size = t->size;
            break;
        case TypeKind::Pointer:
            info.size = 8;
            info.target = without_tags(t->type);
            break;
        case TypeKind::Array:
            info.target = without_tags(btf_array(t)->type);
            info.count = btf_array(t)->nelems;
            break;
        case TypeKind::Enum:
            info.size = t->size;
            for (const Enumerator &enumerator : enumerators(id))
                if (enumerator.value < 0) info.encoding = Encoding::Signed;
            if (btf_kind(t) == BTF_KIND_ENUM64 && !btf_kflag(t)) info.encoding = Encoding::Unsigned;
            break;
        case TypeKind::Typedef:
        case TypeKind::Function:
            info.target = without_tags(t->type);
            break;
        case TypeKind::Qualified:
            info.target = without_tags(t->type);
            info.qualifier = btf_is_const(t) ? "const" : btf_is_volatile(t) ? "volatile" : "restrict";
            break;
        default:
            info.declaration = btf_is_fwd(t);
            info.size = info.declaration ? 0 : t->size;
            break;
    }
    return info;
}

std::vector<Member> BtfTypes::members(TypeId id) const {
    std::vector<Member> members;
    const btf_type *t = type(without_tags(id));
    if (!t || !btf_is_composite(t)) return members;
    for (uint32_t i = 0; i < btf_vlen(t); ++i) {
        const btf_member &from = btf_members(t)[i];
        Member member;
        member.name = name(from.name_off);
        member.type = without_tags(from.type);
        member.bit_offset = btf_member_bit_offset(t, i);
        member.bit_size = btf_member_bitfield_size(t, i);
        // Old writers have an integer type for each width instead.
        const btf_type *of = type(member.type);
        if (!btf_kflag(t) && of && btf_is_int(of) && btf_int_bits(of) != of->size * 8) {
            member.bit_size = btf_int_bits(of);
            member.bit_offset += btf_int_offset(of);
        }
        members.push_back(std::move(member));
    }
    return members;
}

// Old writers leave it open whether the top bit of 32 is a sign; it mostly is. Newer ones say so of each enumeration
// that has one, and so of one at least.
bool BtfTypes::tells_signs() const {
    if (base_ && base_->tells_signs()) return true;
    if (!tells_signs_) {
        tells_signs_ = false;
        for (uint32_t id = layout_.first; id < layout_.end() && !*tells_signs_; ++id) {
            const btf_type *t = type(id);
            tells_signs_ = btf_kind(t) == BTF_KIND_ENUM64 || (btf_is_enum(t) && btf_kflag(t));
        }
    }
    return *tells_signs_;
}

int64_t BtfTypes::value_of(const btf_type *enumeration, uint32_t position) const {
    if (!btf_is_enum(enumeration)) return static_cast<int64_t>(btf_enum64_value(&btf_enum64(enumeration)[position]));
    const int32_t value = btf_enum(enumeration)[position].val;
    if (value >= 0 || btf_kflag(enumeration) || !tells_signs()) return value;
    return static_cast<uint32_t>(value);
}

std::vector<Enumerator> BtfTypes::enumerators(TypeId id) const {
    std::vector<Enumerator> enumerators;
    const btf_type *t = type(without_tags(id));
    if (!t || !btf_is_any_enum(t)) return enumerators;
    for (uint32_t i = 0; i < btf_vlen(t); ++i) {
        const uint32_t text = btf_is_enum(t) ? btf_enum(t)[i].name_off : btf_enum64(t)[i].name_off;
        enumerators.push_back({std::string(name(text)), value_of(t, i)});
    }
    return enumerators;
}

std::vector<BtfTypes::Parameter> BtfTypes::named_parameters(TypeId id) const {
    std::vector<Parameter> parameters;
    const btf_type *t = type(without_tags(id));
    if (!t || !btf_is_func_proto(t)) return parameters;
    for (uint32_t i = 0; i < btf_vlen(t); ++i) {
        const btf_param &from = btf_params(t)[i];
        if (from.type == 0 && from.name_off == 0) break;  // "..."
        parameters.push_back({std::string(name(from.name_off)), without_tags(from.type)});
    }
    return parameters;
}

std::vector<TypeId> BtfTypes::parameters(TypeId id) const {
    std::vector<TypeId> types;
    for (const Parameter &parameter : named_parameters(id))
        types.push_back(parameter.type);
    return types;
}

void BtfTypes::index_names() const {
    if (!slots_.empty()) return;
    slots_.resize(std::bit_ceil(2 * layout_.types.size() + 16));
    const size_t mask = slots_.size() - 1;
    for (uint32_t id = layout_.first; id < layout_.end(); ++id) {
        const btf_type *t = type(id);
        if (t->name_off == 0 || kind_of(t) == TypeKind::Unknown) {
            if (!btf_is_func(t)) continue;
        }
        size_t slot = hash_of(name(t->name_off)) & mask;
        while (slots_[slot])
            slot = (slot + 1) & mask;
        slots_[slot] = id;
    }
}

template <class Visit>
void BtfTypes::each_named(std::string_view wanted, Visit visit) const {
    index_names();
    const size_t mask = slots_.size() - 1;
    for (size_t slot = hash_of(wanted) & mask; slots_[slot]; slot = (slot + 1) & mask) {
        const btf_type *t = type(slots_[slot]);
        if (name(t->name_off) == wanted) visit(slots_[slot], t);
    }
    if (base_) base_->each_named(wanted, visit);
}

std::optional<TypeId> BtfTypes::find_type(std::string_view text) const {
    const std::vector<TypeKind> kinds = kinds_of(text);
    std::optional<TypeId> best;
    size_t best_rank = kinds.size();
    each_named(text, [&](TypeId id, const btf_type *t) {
        if (btf_is_fwd(t) || btf_is_func(t)) return;
        for (size_t rank = 0; rank < best_rank; ++rank) {
            if (kinds[rank] != kind_of(t)) continue;
            best = id;
            best_rank = rank;
        }
    });
    return best;
}

std::optional<TypeId> BtfTypes::find_function(std::string_view text) const {
    std::optional<TypeId> found;
    each_named(text, [&](TypeId, const btf_type *t) {
        if (!found && btf_is_func(t)) found = t->type;
    });
    return found;
}

std::vector<std::string> BtfTypes::functions_with_prefix(std::string_view prefix) const {
    std::vector<std::string> found;
    for (uint32_t id = layout_.first; id < layout_.end(); ++id) {
        const btf_type *t = type(id);
        if (!btf_is_func(t)) continue;
        const std::string_view text = name(t->name_off);
        if (text.starts_with(prefix)) found.emplace_back(text.substr(prefix.size()));
    }
    return found;
}

std::optional<int64_t> BtfTypes::find_enumerator(std::string_view wanted) const {
    for (uint32_t id = layout_.first; id < layout_.end(); ++id) {
        const btf_type *t = type(id);
        for (uint32_t i = 0; btf_is_any_enum(t) && i < btf_vlen(t); ++i) {
            const uint32_t offset = btf_is_enum(t) ? btf_enum(t)[i].name_off : btf_enum64(t)[i].name_off;
            if (name(offset) != wanted) continue;
            return value_of(t, i);
        }
    }
    return base_ ? base_->find_enumerator(wanted) : std::nullopt;
}

}  // namespace tapir::target
