// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/argument_assigner.h"

#include <algorithm>
#include <utility>

namespace tapir::target {

using arch::Hold;
using arch::Part;
using ctypes::Place;

namespace {

constexpr const char *kPassedInVector = "it is passed in a vector register";

// Bytes of a word, which may be more than a register holds of it.
Place joined(std::vector<ctypes::Piece> pieces) {
    const auto readable = [](const ctypes::Piece &piece) { return piece.place.kind != Place::Kind::Absent; };
    if (pieces.size() == 1 || std::none_of(pieces.begin(), pieces.end(), readable)) return pieces.front().place;
    Place place;
    place.kind = Place::Kind::Pieces;
    place.pieces = std::move(pieces);
    return place;
}

}  // namespace

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

Place at_stack_pointer(const arch::Arguments &convention, int64_t offset) {
    return in_memory(ctypes::make_term(ctypes::TermOp::Add, ctypes::register_term(convention.stack_pointer),
                                       ctypes::constant_term(offset)));
}

Place ArgumentAssigner::lost() {
    lost_ = true;
    return unknown();
}

Place ArgumentAssigner::unknown() {
    return ctypes::absent("how an argument before it, it itself or the result is passed is not known");
}

// Places a part that fits into the remaining registers.
Place ArgumentAssigner::part(const Part &part) {
    if (part.hold == Hold::Integer) return in_register(convention_.registers[used_++]);
    if (part.hold != Hold::Vector) return ctypes::absent("it has no bytes here");
    const auto number = static_cast<int64_t>(convention_.first_vector + vectors_++);
    return convention_.first_vector && part.bytes <= kWord ? in_register(number) : ctypes::absent(kPassedInVector);
}

Place ArgumentAssigner::next(const arch::Parts &parts, uint64_t size, uint64_t alignment, bool number) {
    const size_t integers = parts.number_of(Hold::Integer), vectors = parts.number_of(Hold::Vector);
    if (lost_ || (lost_integers_ && integers)) return unknown();
    if (integers + vectors == 0) return ctypes::absent("its type is empty");
    if (convention_.pairs_begin_even && number && integers == 2) used_ += used_ % 2;
    if (used_ + integers > convention_.count || vectors_ + vectors > convention_.vector_count) {
        const bool pair = number && integers == 2 && !convention_.pairs_begin_even;
        if (pair && pairs_ == Pairs::Split) return used_ < convention_.count ? split(parts) : on_stack(size, kWord);
        if (pair && pairs_ == Pairs::Unknown) lost_integers_ = true;
        if (convention_.stack_ends_registers && integers) used_ = convention_.count;
        if (convention_.stack_ends_registers && vectors) vectors_ = convention_.vector_count;
        return on_stack(size, alignment);
    }
    std::vector<ctypes::Piece> pieces;
    for (size_t i = 0; i < parts.count; ++i)
        pieces.push_back({part(parts.list[i]), parts.list[i].bytes});
    return joined(std::move(pieces));
}

// Each word by itself, as LLVM before 18 does it.
Place ArgumentAssigner::split(const arch::Parts &parts) {
    std::vector<ctypes::Piece> pieces;
    for (size_t i = 0; i < parts.count; ++i) {
        const Part &one = parts.list[i];
        pieces.push_back({used_ < convention_.count ? part(one) : on_stack(kWord, kWord), one.bytes});
    }
    return joined(std::move(pieces));
}

Place ArgumentAssigner::each(std::span<const Part> parts) {
    if (lost_ || lost_integers_) return unknown();
    std::vector<ctypes::Piece> pieces;
    for (const Part &one : parts) {
        const bool integer = one.hold == Hold::Integer;
        if (one.bytes > kWord && (!integer || used_ + 2 > convention_.count)) return lost();
        for (uint64_t at = 0; at < one.bytes; at += kWord) {
            const uint64_t bytes = std::min<uint64_t>(kWord, one.bytes - at);
            const bool fits = integer ? used_ < convention_.count : vectors_ < convention_.vector_count;
            pieces.push_back({fits ? part(one) : on_stack(kWord, kWord), bytes});
        }
    }
    return joined(std::move(pieces));
}

Place ArgumentAssigner::on_stack(uint64_t size, uint64_t alignment) {
    if (lost_ || lost_integers_) return unknown();
    if (alignment > kWord) stack_ = (stack_ + alignment - 1) / alignment * alignment;
    Place place = at_stack_pointer(convention_, static_cast<int64_t>(convention_.stack_offset + stack_));
    stack_ += (size + kWord - 1) / kWord * kWord;
    return place;
}

Place ArgumentAssigner::reference() {
    if (lost_ || lost_integers_) return unknown();
    if (used_ < convention_.count) return in_memory(ctypes::register_term(convention_.registers[used_++]));
    return in_memory(ctypes::load_term(kWord, on_stack(kWord, kWord).term));
}

}  // namespace tapir::target
