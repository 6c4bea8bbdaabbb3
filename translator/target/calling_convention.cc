// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/calling_convention.h"

#include <algorithm>
#include <optional>

#include "arch/arch.h"

namespace tapir::target {

using ctypes::Place;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

constexpr uint64_t kWord = 8;
constexpr int kMaxDepth = 16;    // of structures in structures
constexpr int kMaxTypes = 1000;  // in one of two words

bool has_float(Type type, int &steps, int depth = 0) {
    type = type.stripped().completed();
    const TypeInfo info = type.info();
    if (info.kind == TypeKind::Float) return true;
    if (depth >= kMaxDepth || --steps < 0) return false;
    if (info.kind == TypeKind::Array) return has_float(type.with(info.target), steps, depth + 1);
    if (info.kind != TypeKind::Struct && info.kind != TypeKind::Union) return false;
    const auto members = type.source->members(type.id);
    return std::any_of(members.begin(), members.end(), [&](const ctypes::Member &member) {
        return has_float(type.with(member.type), steps, depth + 1);
    });
}

bool is_structure(const Type &plain) {
    const TypeKind kind = plain.info().kind;
    return kind == TypeKind::Struct || kind == TypeKind::Union;
}

// A result that the caller has made room for.
bool is_in_memory(const Type &plain) {
    const auto size = ctypes::type_size(plain);
    return is_structure(plain) && ((size && *size > 2 * kWord) || plain.source->is_copied_by_function(plain.id));
}

ctypes::TermPtr plus(ctypes::TermPtr base, uint64_t offset) {
    return ctypes::make_term(ctypes::TermOp::Add, std::move(base), ctypes::constant_term(static_cast<int64_t>(offset)));
}

Place in_register(int64_t number) {
    Place place;
    place.kind = Place::Kind::Register;
    place.term = ctypes::register_term(number);
    return place;
}

Place in_memory(ctypes::TermPtr address) {
    Place place;
    place.kind = Place::Kind::Memory;
    place.term = std::move(address);
    return place;
}

class Assigner {
  public:
    Assigner(const arch::Arch &arch, const Type &result) : convention_(arch.arguments) {
        const Type plain = result.stripped().completed();
        lost_ = is_structure(plain) && !ctypes::type_size(plain);
        if (arch.result.address_is_argument && is_in_memory(plain)) ++used_;
    }

    Place next(Type type) {
        type = type.stripped().completed();
        const TypeInfo info = type.info();
        const bool whole = is_structure(type);
        // Whether it takes an integer register or not, what follows is found only if its size is known.
        const std::optional<uint64_t> size = ctypes::type_size(type);
        if (lost_ || !size || (*size == 0 && !whole)) {
            lost_ = true;
            return ctypes::absent("the size of an argument before it, of its own type or of the result is not known");
        }
        if (*size == 0) return ctypes::absent("its type is empty");
        int steps = kMaxTypes;
        if (info.kind == TypeKind::Float || (whole && *size <= 2 * kWord && has_float(type, steps)))
            return ctypes::absent("it is passed in a vector register");
        if (*size > 2 * kWord) {
            if (!convention_.large_by_reference) return on_stack(*size);
            const Place address = integer(kWord, false);
            return in_memory(address.kind == Place::Kind::Register ? address.term : ctypes::load_term(8, address.term));
        }
        return integer(*size, !whole);
    }

  private:
    // Of one or two words.
    Place integer(uint64_t size, bool scalar) {
        const size_t words = size > kWord ? 2 : 1;
        if (convention_.pairs_begin_even && scalar && words == 2) used_ += used_ % 2;
        if (used_ + words > convention_.count) {
            if (convention_.stack_ends_registers) used_ = convention_.count;
            return on_stack(size, scalar && words == 2);
        }
        const size_t first = used_;
        used_ += words;
        if (words == 1) return in_register(convention_.registers[first]);
        Place place;
        place.kind = Place::Kind::Pieces;
        place.pieces = {{in_register(convention_.registers[first]), kWord},
                        {in_register(convention_.registers[first + 1]), size - kWord}};
        return place;
    }

    Place on_stack(uint64_t size, bool align_two = false) {
        if (align_two && stack_ % (2 * kWord)) stack_ += kWord;
        Place place =
            in_memory(plus(ctypes::register_term(convention_.stack_pointer), convention_.stack_offset + stack_));
        stack_ += (size + kWord - 1) / kWord * kWord;
        return place;
    }

    const arch::Arguments &convention_;
    size_t used_ = 0;     // registers
    uint64_t stack_ = 0;  // bytes
    bool lost_ = false;
};

}  // namespace

Place result_place(std::string_view arch, const Type &type) {
    const arch::Arch *known = arch::find(arch);
    const Type plain = type.stripped().completed();
    const TypeInfo info = plain.info();
    const bool whole = is_structure(plain);
    const std::optional<uint64_t> size = ctypes::type_size(plain);
    if (!size || *size == 0) return ctypes::absent("the size of its type is not known");
    if (info.kind == TypeKind::Float) return ctypes::absent("it is returned in a vector register");
    if (*size > kWord && !known)
        return ctypes::absent("how " + std::string(arch.empty() ? "this processor" : arch) +
                              " returns a value of more than 8 bytes is not known");
    const arch::Result registers = known ? known->result : arch::Result{};
    if (is_in_memory(plain))
        return registers.address_is_returned
                   ? in_memory(ctypes::register_term(registers.first))
                   : ctypes::absent("it is returned at an address that only its caller knows");
    int steps = kMaxTypes;
    if (whole && has_float(plain, steps)) return ctypes::absent("it is returned in a vector register");
    if (*size <= kWord) return in_register(registers.first);
    Place place;
    place.kind = Place::Kind::Pieces;
    place.pieces = {{in_register(registers.first), kWord}, {in_register(registers.second), *size - kWord}};
    return place;
}

std::vector<Place> argument_places(std::string_view arch, const std::vector<Type> &types, const Type &result) {
    std::vector<Place> places;
    const arch::Arch *known = arch::find(arch);
    if (!known)
        return {types.size(),
                ctypes::absent("how " + std::string(arch) + " passes arguments is not known, debug information tells")};
    Assigner assigner(*known, result);
    for (const Type &type : types)
        places.push_back(assigner.next(type));
    return places;
}

}  // namespace tapir::target
