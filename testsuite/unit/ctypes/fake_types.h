// SPDX-License-Identifier: GPL-2.0-or-later
// C types made by hand.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ctypes/type.h"

namespace tapir::ctypes {

class FakeTypes : public TypeSource {
  public:
    TypeId integer(const std::string &name, uint64_t size, Encoding encoding) {
        TypeInfo info = of(TypeKind::Integer, name, size);
        info.encoding = encoding;
        return add(info);
    }
    TypeId floating(const std::string &name, uint64_t size) { return add(of(TypeKind::Float, name, size)); }
    TypeId pointer(TypeId to) { return add(of(TypeKind::Pointer, "", 8), to); }
    TypeId array(TypeId of_what, uint64_t count) {
        TypeInfo info = of(TypeKind::Array, "", 0);
        info.count = count;
        return add(info, of_what);
    }
    TypeId alias(const std::string &name, TypeId of_what) { return add(of(TypeKind::Typedef, name, 0), of_what); }
    TypeId qualified(const std::string &qualifier, TypeId of_what) {
        TypeInfo info = of(TypeKind::Qualified, "", 0);
        info.qualifier = qualifier;
        return add(info, of_what);
    }
    TypeId function(TypeId result, std::vector<TypeId> parameters) {
        const TypeId id = add(of(TypeKind::Function, "", 0), result);
        parameters_[id] = std::move(parameters);
        return id;
    }
    TypeId structure(TypeKind kind, const std::string &name, uint64_t size, std::vector<Member> members) {
        const TypeId id = add(of(kind, name, size));
        members_[id] = std::move(members);
        return id;
    }
    TypeId declared(TypeKind kind, const std::string &name) {
        TypeInfo info = of(kind, name, 0);
        info.declaration = true;
        return add(info);
    }
    TypeId enumeration(const std::string &name, std::vector<Enumerator> enumerators) {
        const TypeId id = add(of(TypeKind::Enum, name, 4));
        enumerators_[id] = std::move(enumerators);
        return id;
    }
    // An array whose elements a place counts.
    TypeId computed_array(TypeId of_what) {
        TypeInfo info = of(TypeKind::Array, "", 0);
        info.computed = true;
        return add(info, of_what);
    }
    void set_unread(TypeId id, const std::string &why) { types_[id - 1].unread = why; }
    // Closes a cycle: what was added with a target of 0.
    void set_target(TypeId id, TypeId target) { types_[id - 1].target = target; }

    TypeInfo info(TypeId id) const override { return id && id <= types_.size() ? types_[id - 1] : TypeInfo{}; }
    std::vector<Member> members(TypeId id) const override { return find(members_, id); }
    std::vector<Enumerator> enumerators(TypeId id) const override { return find(enumerators_, id); }
    std::vector<TypeId> parameters(TypeId id) const override { return find(parameters_, id); }
    std::optional<TypeId> find_type(std::string_view name) const override {
        for (size_t i = 0; i < types_.size(); ++i) {
            const TypeInfo &type = types_[i];
            const std::string tag = type.kind == TypeKind::Struct  ? "struct "
                                    : type.kind == TypeKind::Union ? "union "
                                    : type.kind == TypeKind::Enum  ? "enum "
                                                                   : "";
            if (type.name.empty() || type.declaration) continue;
            if (name == tag + type.name || name == type.name) return i + 1;
        }
        return std::nullopt;
    }
    Type type(TypeId id) const { return {this, id}; }

  private:
    static TypeInfo of(TypeKind kind, const std::string &name, uint64_t size) {
        TypeInfo info;
        info.kind = kind;
        info.name = name;
        info.size = size;
        return info;
    }
    TypeId add(TypeInfo info, TypeId target = 0) {
        info.target = target;
        types_.push_back(std::move(info));
        return types_.size();
    }
    template <class Map>
    static typename Map::mapped_type find(const Map &map, TypeId id) {
        const auto at = map.find(id);
        return at == map.end() ? typename Map::mapped_type{} : at->second;
    }

    std::vector<TypeInfo> types_;  // by id - 1
    std::map<TypeId, std::vector<Member>> members_;
    std::map<TypeId, std::vector<Enumerator>> enumerators_;
    std::map<TypeId, std::vector<TypeId>> parameters_;
};

}  // namespace tapir::ctypes
