// SPDX-License-Identifier: GPL-2.0-or-later
// Types of an object's DWARF (sections 5.1 to 5.11 of version 5).
#pragma once

#include <map>

#include "ctypes/type.h"
#include "dwarf/index.h"
#include "dwarf/location.h"
#include "dwarf/object.h"
#include "dwarf/unit_scopes.h"

namespace tapir::dwarf {

// A TypeId: the id of the DIE; for an array of several dimensions, which of them.
constexpr int kDimensionShift = 56;
constexpr ctypes::TypeId kDimensionMask = ctypes::TypeId{0x3f} << kDimensionShift;
static_assert((kDimensionMask & (kInSupplement | kInTypeUnit | kInSplit)) == 0);
// A type that is named and cannot be found.
constexpr ctypes::TypeId kUnknownType = kDimensionMask;

class Types : public ctypes::TypeSource {
  public:
    // Both must outlive this.
    Types(const Object &object, const Index &index) : object_(object), index_(index) {}

    ctypes::TypeInfo info(ctypes::TypeId id) const override;
    std::vector<ctypes::Member> members(ctypes::TypeId id) const override;
    std::vector<ctypes::Enumerator> enumerators(ctypes::TypeId id) const override;
    std::optional<ctypes::VariantPart> variants(ctypes::TypeId id) const override;
    bool is_copied_by_function(ctypes::TypeId id) const override;
    std::vector<ctypes::TypeId> parameters(ctypes::TypeId id) const override;
    std::optional<ctypes::TypeId> find_type(std::string_view name) const override;
    // As find_type, but definitions of one unit come first, as a script means at a probe in that unit.
    std::optional<ctypes::TypeId> find_type(std::string_view name, Dwarf_Die unit) const;
    // As find_type, as seen from a function of this full name ("ns::Class::method"): first in its class, and so on.
    std::optional<ctypes::TypeId> find_type_from(std::string_view name, std::string_view function) const;

    // Computes sizes that are not constant, at a place. For a type with TypeInfo::computed: the elements of an array,
    // or the bytes of another type, as a Value. For the id of a member: its address, as Memory. Or Absent.
    ctypes::Place measure(ctypes::TypeId id, const LocationContext &context) const;

    // The type a DIE (of this object or its supplement) stands for.
    ctypes::TypeId id_of(Dwarf_Die *die) const;
    // The type that a DIE's DW_AT_type names; 0, void, when it has none.
    ctypes::TypeId type_of(Dwarf_Die *die) const;

  private:
    bool die_of(ctypes::TypeId id, Dwarf_Die &die) const;
    std::string qualified_name(Dwarf_Die *die) const;
    bool is_copied_by_function(ctypes::TypeId id, int depth) const;
    ctypes::Encoding encoding_of_enumeration(ctypes::TypeId id, ctypes::TypeId underlying) const;
    void set_size(Dwarf_Die *die, ctypes::TypeInfo &info) const;
    // dwarf_arrays.cc
    bool dimension_of(Dwarf_Die *array, ctypes::TypeId id, Dwarf_Die &subrange, bool &is_last) const;
    bool is_by_columns(Dwarf_Die *array) const;
    ctypes::TypeInfo array_info(Dwarf_Die *die, ctypes::TypeId id) const;
    void set_count(Dwarf_Die *subrange, ctypes::TypeInfo &info) const;
    std::optional<int64_t> lower_bound(Dwarf_Die *subrange) const;
    // dwarf_members.cc
    ctypes::Member member_of(Dwarf_Die *die, bool follows = false) const;
    std::shared_ptr<const ctypes::Place> static_place(Dwarf_Die *member, const std::string &name) const;
    void add_members(Dwarf_Die *variant_part, std::vector<ctypes::Member> &members) const;
    void place_member(Dwarf_Die *die, bool follows, ctypes::Member &member) const;
    void place_bits(Dwarf_Die *die, ctypes::Member &member) const;

    const Object &object_;
    const Index &index_;
    mutable std::map<Dwarf_CU *, std::unique_ptr<UnitScopes>> scopes_;  // null: of a language without
};

}  // namespace tapir::dwarf
