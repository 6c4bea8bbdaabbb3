// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays (DWARF 5, sections 5.5 and 5.13). A TypeInfo has one dimension. An array is not read if its elements are not
// one after the other with the last dimension fastest.
#include <dwarf.h>

#include <algorithm>

#include "dwarf/dwarf_types.h"
#include "dwarf/numbers.h"

namespace tapir::dwarf {

using ctypes::Place;
using ctypes::TermOp;
using ctypes::TypeId;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

bool is_subrange(Dwarf_Die *die) {
    const int tag = dwarf_tag(die);
    return tag == DW_TAG_subrange_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_generic_subrange;
}

// Returns a language's default lower bound of arrays; nothing for unknown languages (DWARF 5, section 7.12). libdw does
// not know the numbers that were given after DWARF 5.
std::optional<int64_t> default_lower_bound(uint64_t language) {
    constexpr uint64_t kKotlin = 0x26, kFortran18 = 0x2d, kAda2012 = 0x2f, kC23 = 0x3e;
    Dwarf_Sword bound = 0;
    if (dwarf_default_lower_bound(static_cast<int>(language), &bound) == 0) return bound;
    if (language < kKotlin || language > kC23) return std::nullopt;
    return language >= kFortran18 && language <= kAda2012 ? 1 : 0;
}

bool is_fortran(uint64_t language) {
    constexpr uint64_t kFortran18 = 0x2d;
    switch (language) {
        case DW_LANG_Fortran77:
        case DW_LANG_Fortran90:
        case DW_LANG_Fortran95:
        case DW_LANG_Fortran03:
        case DW_LANG_Fortran08:
        case kFortran18:
            return true;
        default:
            return false;
    }
}

// GCC writes -1 as the upper bound of an array of no elements, in any size.
bool is_none(const Number &upper) {
    return upper.value == -1 || (upper.value == UINT32_MAX && upper.attribute.form == DW_FORM_data4);
}

// Returns why elements are not in the places of a C array's elements; "" if they are.
std::string unlike_c(Dwarf_Die *array, const std::optional<uint64_t> &element_bytes) {
    for (const unsigned name : {DW_AT_data_location, DW_AT_allocated, DW_AT_associated, DW_AT_rank})
        if (dwarf_hasattr_integrate(array, name)) return "it is an array that is reached through a descriptor";
    const Number bytes = number_of(array, DW_AT_byte_stride), bits = number_of(array, DW_AT_bit_stride);
    const bool own_bytes = bytes.is_absent() || (element_bytes && bytes.constant() == element_bytes);
    const bool own_bits = bits.is_absent() || (element_bytes && bits.constant() == *element_bytes * 8);
    return own_bytes && own_bits ? "" : "it is an array with gaps between its elements";
}

Place as_value(ctypes::TermPtr term) {
    Place place;
    place.kind = Place::Kind::Value;
    place.term = std::move(term);
    return place;
}

// Returns a bound, or `otherwise` if debug information leaves it out.
Place bound_at(Dwarf_Die *subrange, unsigned name, std::optional<int64_t> otherwise, const LocationContext &context) {
    Number bound = number_of(subrange, name);
    if (bound.kind == Number::Kind::Computed) return computed_number(&bound.attribute, context);
    const std::optional<int64_t> known = bound.is_constant() ? bound.value : otherwise;
    if (bound.kind == Number::Kind::Unknown || !known) return ctypes::absent("how many elements it has is not known");
    return as_value(ctypes::constant_term(*known));
}

}  // namespace

// The subrange of the dimension that an id is of; false when the array has none.
bool Types::dimension_of(Dwarf_Die *array, TypeId id, Dwarf_Die &subrange, bool &is_last) const {
    uint64_t dimension = (id & kDimensionMask) >> kDimensionShift;
    bool found = false;
    Dwarf_Die child;
    is_last = true;
    if (dwarf_child(array, &child) != 0) return false;
    do {
        if (!is_subrange(&child)) continue;
        if (found) {
            is_last = false;
            break;
        }
        if (dimension-- > 0) continue;
        subrange = child;
        found = true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return found;
}

bool Types::is_by_columns(Dwarf_Die *array) const {
    const Number order = number_of(array, DW_AT_ordering);
    if (!order.is_absent()) return order.constant() != uint64_t{DW_ORD_row_major};
    Dwarf_Die unit;
    if (!dwarf_diecu(array, &unit, nullptr, nullptr)) return false;
    if (const uint64_t language = language_of(&unit)) return is_fortran(language);
    return std::any_of(index_.units().begin(), index_.units().end(),
                       [](const UnitEntry &entry) { return is_fortran(entry.language); });
}

TypeInfo Types::array_info(Dwarf_Die *die, TypeId id) const {
    TypeInfo info;
    Dwarf_Die subrange;
    bool is_last = true;
    info.kind = TypeKind::Array;
    info.target = type_of(die);
    info.vector = flag_of(die, DW_AT_GNU_vector);
    if (!dimension_of(die, id, subrange, is_last)) return info;
    const auto element_bytes = ctypes::type_size({this, info.target});
    const bool has_several = !is_last || (id & kDimensionMask);
    if (!is_last) info.target = id + (TypeId{1} << kDimensionShift);
    set_count(&subrange, info);
    info.unread = unlike_c(die, element_bytes);
    // The stride of a dimension is that of its elements.
    if (info.unread.empty()) info.unread = unlike_c(&subrange, ctypes::type_size({this, info.target}));
    if (has_several && is_by_columns(die))
        info.unread = "it is an array of several dimensions whose first runs fastest";
    if (!info.unread.empty()) info.computed = true;
    return info;
}

void Types::set_count(Dwarf_Die *subrange, TypeInfo &info) const {
    const Number count = number_of(subrange, DW_AT_count), upper = number_of(subrange, DW_AT_upper_bound);
    const Number lower = number_of(subrange, DW_AT_lower_bound);
    if (!count.is_absent()) {
        info.count = count.constant().value_or(0);
        info.computed = !count.is_constant();
        return;
    }
    if (upper.is_absent() && dwarf_tag(subrange) == DW_TAG_subrange_type) return;  // of any length
    const std::optional<int64_t> first = lower.is_constant() ? lower.value
                                         : lower.is_absent() ? lower_bound(subrange)
                                                             : std::nullopt;
    info.computed = !upper.is_constant() || !first;
    if (info.computed || is_none(upper)) return;
    const int64_t last = upper.value;
    info.count = last < *first ? 0 : static_cast<uint64_t>(last) - static_cast<uint64_t>(*first) + 1;
}

// Returns the lower bound of a subrange without one, by its language. A unit that dwz made has no language; the units
// it was made of have.
std::optional<int64_t> Types::lower_bound(Dwarf_Die *subrange) const {
    Dwarf_Die unit;
    if (!dwarf_diecu(subrange, &unit, nullptr, nullptr)) return std::nullopt;
    if (const uint64_t language = language_of(&unit)) return default_lower_bound(language);
    std::optional<int64_t> common;
    for (const UnitEntry &entry : index_.units()) {
        if (!entry.language) continue;
        const auto bound = default_lower_bound(entry.language);
        if (!bound || (common && common != bound)) return std::nullopt;
        common = bound;
    }
    return common;
}

Place Types::measure(TypeId id, const LocationContext &context) const {
    Dwarf_Die die, subrange;
    bool is_last = true;
    if (die_of(id, die) && (dwarf_tag(&die) == DW_TAG_member || dwarf_tag(&die) == DW_TAG_inheritance)) {
        Number at = number_of(&die, DW_AT_data_member_location);
        if (at.kind != Number::Kind::Computed) return ctypes::absent("its place is not known");
        return member_address(&at.attribute, context);
    }
    const TypeInfo type = info(id);
    if (!type.unread.empty()) return ctypes::absent(type.unread);
    if (!type.computed || !die_of(id, die)) return ctypes::absent("its size is not known");
    if (type.kind != TypeKind::Array) {
        Number bytes = number_of(&die, DW_AT_byte_size);
        if (bytes.kind != Number::Kind::Computed) return ctypes::absent("its size is not known");
        return computed_number(&bytes.attribute, context);
    }
    if (!dimension_of(&die, id, subrange, is_last)) return ctypes::absent("its size is not known");
    if (!number_of(&subrange, DW_AT_count).is_absent()) return bound_at(&subrange, DW_AT_count, {}, context);
    const Place last = bound_at(&subrange, DW_AT_upper_bound, {}, context);
    const Place first = bound_at(&subrange, DW_AT_lower_bound, lower_bound(&subrange), context);
    if (last.kind == Place::Kind::Absent) return last;
    if (first.kind == Place::Kind::Absent) return first;
    ctypes::TermPtr count = ctypes::make_term(TermOp::Subtract, last.term, first.term);
    return as_value(ctypes::make_term(TermOp::Add, std::move(count), ctypes::constant_term(1)));
}

}  // namespace tapir::dwarf
