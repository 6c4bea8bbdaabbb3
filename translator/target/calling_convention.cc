// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/calling_convention.h"

#include <algorithm>
#include <optional>

namespace tapir::target {

using ctypes::Place;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

constexpr uint64_t kWord = 8;
constexpr int kMaxDepth = 16;    // of structures in structures
constexpr int kMaxTypes = 1000;  // in one of two words

// A convention for integers, as far as the two have things in common.
struct Convention {
    std::vector<int64_t> registers;  // DWARF numbers
    int64_t stack_pointer;
    uint64_t stack_offset;      // of the first argument on the stack
    bool large_by_reference;    // a structure of more than two words: its address is passed, else a copy on the stack
    bool stack_ends_registers;  // after one argument on the stack, all that follow are there
    bool pairs_begin_even;      // a 16-byte integer begins at an even register
    bool result_address_first;  // of a result in memory, in the first register; else that has one of its own
};

std::optional<Convention> convention(std::string_view arch) {
    // rdi, rsi, rdx, rcx, r8, r9; above the return address.
    if (arch == "x86_64") return Convention{{5, 4, 1, 2, 8, 9}, 7, kWord, false, false, false, true};
    if (arch == "aarch64") return Convention{{0, 1, 2, 3, 4, 5, 6, 7}, 31, 0, true, true, true, false};
    return std::nullopt;
}

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
    return is_structure(plain) &&
           (ctypes::type_size(plain).value_or(0) > 2 * kWord || plain.source->is_copied_by_function(plain.id));
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
    explicit Assigner(Convention convention, const Type &result) : convention_(std::move(convention)) {
        const Type plain = result.stripped().completed();
        lost_ = is_structure(plain) && !ctypes::type_size(plain);
        if (convention_.result_address_first && is_in_memory(plain)) ++used_;
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
        if (used_ + words > convention_.registers.size()) {
            if (convention_.stack_ends_registers) used_ = convention_.registers.size();
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

    Convention convention_;
    size_t used_ = 0;     // registers
    uint64_t stack_ = 0;  // bytes
    bool lost_ = false;
};

// Registers of results, and whether the address of a larger one is in the first of them.
struct ResultConvention {
    int64_t first, second;
    bool tells_address;
};

}  // namespace

Place result_place(std::string_view arch, const Type &type) {
    // rax and rdx; x0 and x1.
    const ResultConvention convention =
        arch == "aarch64" ? ResultConvention{0, 1, false} : ResultConvention{0, 1, true};
    const Type plain = type.stripped().completed();
    const TypeInfo info = plain.info();
    const bool whole = is_structure(plain);
    const std::optional<uint64_t> size = ctypes::type_size(plain);
    if (!size || *size == 0) return ctypes::absent("the size of its type is not known");
    if (info.kind == TypeKind::Float) return ctypes::absent("it is returned in a vector register");
    if (*size > kWord && arch != "x86_64" && arch != "aarch64")
        return ctypes::absent("how " + std::string(arch.empty() ? "this processor" : arch) +
                              " returns a value of more than 8 bytes is not known");
    if (is_in_memory(plain))
        return convention.tells_address ? in_memory(ctypes::register_term(convention.first))
                                        : ctypes::absent("it is returned at an address that only its caller knows");
    int steps = kMaxTypes;
    if (whole && has_float(plain, steps)) return ctypes::absent("it is returned in a vector register");
    if (*size <= kWord) return in_register(convention.first);
    Place place;
    place.kind = Place::Kind::Pieces;
    place.pieces = {{in_register(convention.first), kWord}, {in_register(convention.second), *size - kWord}};
    return place;
}

std::vector<Place> argument_places(std::string_view arch, const std::vector<Type> &types, const Type &result) {
    std::vector<Place> places;
    const auto known = convention(arch);
    if (!known)
        return {types.size(),
                ctypes::absent("how " + std::string(arch) + " passes arguments is not known, debug information tells")};
    Assigner assigner(*known, result);
    for (const Type &type : types)
        places.push_back(assigner.next(type));
    return places;
}

}  // namespace tapir::target
