// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctypes/type.h"

#include <algorithm>

namespace tapir::ctypes {

namespace {

// Chains of typedefs, qualifiers, pointers and arrays, and nested anonymous members, are no deeper than this in sane
// debug information.
constexpr int kMaxDepth = 64;
// Most types on the way to a member, or in one name; damaged information may have any number.
constexpr int kMaxSteps = 10'000;

// How far a search may still go.
struct Limit {
    int steps = kMaxSteps;
    bool reached(int depth) { return depth > kMaxDepth || --steps < 0; }
};

std::string tagged_name(const TypeInfo &info, std::string_view tag) {
    return std::string(tag) + " " + (info.name.empty() ? "{...}" : info.name);
}

// `inner` is the declarator so far: what stands between the base type and the end.
std::string declared_name(Type type, const std::string &inner, int depth, Limit &limit) {
    if (limit.reached(depth)) return "?" + inner;
    const TypeInfo info = type.info();
    const Type target = type.with(info.target);
    switch (info.kind) {
        case TypeKind::Void:
            return "void" + inner;
        case TypeKind::Integer:
        case TypeKind::Float:
        case TypeKind::Typedef:
            return (info.name.empty() ? "?" : info.name) + inner;
        case TypeKind::Struct:
            return tagged_name(info, "struct") + inner;
        case TypeKind::Union:
            return tagged_name(info, "union") + inner;
        case TypeKind::Enum:
            return tagged_name(info, "enum") + inner;
        case TypeKind::Qualified: {
            const TypeKind of = target.info().kind;
            const bool after = of == TypeKind::Pointer;
            if (after) return declared_name(target, " " + info.qualifier + inner, depth + 1, limit);
            return info.qualifier + " " + declared_name(target, inner, depth + 1, limit);
        }
        case TypeKind::Pointer: {
            const TypeKind of = target.info().kind;
            const bool grouped = of == TypeKind::Array || of == TypeKind::Function;
            const std::string sigil = info.reference == 0 ? "*" : info.reference == 1 ? "&" : "&&";
            return declared_name(target, grouped ? "(" + sigil + inner + ")" : sigil + inner, depth + 1, limit);
        }
        case TypeKind::Array:
            return declared_name(target, inner + "[" + (info.count ? std::to_string(info.count) : "") + "]", depth + 1,
                                 limit);
        case TypeKind::Function: {
            std::string parameters;
            for (TypeId parameter : type.source->parameters(type.id))
                parameters +=
                    (parameters.empty() ? "" : ", ") + declared_name(type.with(parameter), "", depth + 1, limit);
            return declared_name(target, inner + "(" + parameters + ")", depth + 1, limit);
        }
        case TypeKind::Unknown:
            break;
    }
    return (info.name.empty() ? "?" : info.name) + inner;
}

FoundMember found_member(const Type &structure, const Member &member, uint64_t base) {
    FoundMember found;
    found.type = structure.with(member.type);
    found.bit_offset = (member.is_computed ? 0 : base) + member.bit_offset;
    found.bit_size = member.bit_size;
    if (member.is_computed) found.computed.push_back({base / 8, member.computed, member.id});
    found.unplaced = member.unplaced;
    found.place = member.place;
    return found;
}

std::optional<FoundMember> find_member_at(Type structure, std::string_view name, uint64_t base, int depth,
                                          Limit &limit) {
    if (limit.reached(depth)) return std::nullopt;
    structure = structure.stripped().completed();
    const std::vector<Member> members =
        structure.source ? structure.source->members(structure.id) : std::vector<Member>{};
    for (const Member &member : members)
        if (member.name == name && !member.inherited) return found_member(structure, member, base);
    for (const Member &member : members) {
        if (!member.name.empty() && !member.inherited) continue;
        const uint64_t start = (member.is_computed ? 0 : base) + member.bit_offset;
        auto found = find_member_at(structure.with(member.type), name, start, depth + 1, limit);
        if (!found) continue;
        if (member.is_computed) found->computed.insert(found->computed.begin(), {base / 8, member.computed, member.id});
        if (!member.unplaced.empty()) found->unplaced = member.unplaced;
        return found;
    }
    return std::nullopt;
}

void collect_names(Type structure, std::vector<std::string> &names, int depth, Limit &limit) {
    if (limit.reached(depth)) return;
    structure = structure.stripped().completed();
    if (!structure.source) return;
    for (const Member &member : structure.source->members(structure.id)) {
        if (member.name.empty() || member.inherited)
            collect_names(structure.with(member.type), names, depth + 1, limit);
        else
            names.push_back(member.name);
    }
}

}  // namespace

Type Type::stripped() const {
    Type type = *this;
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        const TypeInfo info = type.info();
        if (info.kind != TypeKind::Typedef && info.kind != TypeKind::Qualified) return type;
        type.id = info.target;
    }
    return {};
}

Type Type::completed() const {
    const TypeInfo i = info();
    if (!i.declaration || i.name.empty()) return *this;
    std::string_view tag;
    switch (i.kind) {
        case TypeKind::Struct:
            tag = "struct ";
            break;
        case TypeKind::Union:
            tag = "union ";
            break;
        case TypeKind::Enum:
            tag = "enum ";
            break;
        default:
            return *this;
    }
    if (auto found = source->find_type(std::string(tag) + i.name)) return with(*found);
    return *this;
}

std::string type_name(Type type) {
    Limit limit;
    return declared_name(type, "", 0, limit);
}

std::string integer_name(std::string_view spelling) {
    int longs = 0, shorts = 0, chars = 0, ints = 0;
    bool is_unsigned = false, is_signed = false;
    for (size_t at = 0; at < spelling.size();) {
        const size_t end = std::min(spelling.find(' ', at), spelling.size());
        const std::string_view word = spelling.substr(at, end - at);
        at = end + 1;
        if (word == "long")
            ++longs;
        else if (word == "short")
            ++shorts;
        else if (word == "char")
            ++chars;
        else if (word == "int")
            ++ints;
        else if (word == "unsigned")
            is_unsigned = true;
        else if (word == "signed")
            is_signed = true;
        else if (!word.empty())
            return std::string(spelling);
    }
    if (chars) return is_unsigned ? "unsigned char" : is_signed ? "signed char" : "char";
    std::string name = longs > 1 ? "long long " : longs ? "long " : shorts ? "short " : "";
    if (!longs && !shorts && !ints && !is_unsigned && !is_signed) return std::string(spelling);
    return name + (is_unsigned ? "unsigned int" : "int");
}

std::optional<uint64_t> type_size(Type type) {
    uint64_t factor = 1;
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        type = type.stripped().completed();
        const TypeInfo info = type.info();
        switch (info.kind) {
            case TypeKind::Array:
                if (info.computed || __builtin_mul_overflow(factor, info.count, &factor)) return std::nullopt;
                type.id = info.target;
                continue;
            case TypeKind::Void:
            case TypeKind::Function:
            case TypeKind::Unknown:
                return std::nullopt;
            default:
                if (info.declaration || info.computed || __builtin_mul_overflow(factor, info.size, &factor))
                    return std::nullopt;
                return factor;
        }
    }
    return std::nullopt;
}

std::optional<FoundMember> find_member(Type structure, std::string_view name) {
    Limit limit;
    return name.empty() ? std::nullopt : find_member_at(structure, name, 0, 0, limit);
}

std::vector<std::string> member_names(Type structure) {
    std::vector<std::string> names;
    Limit limit;
    collect_names(structure, names, 0, limit);
    return names;
}

}  // namespace tapir::ctypes
