// SPDX-License-Identifier: GPL-2.0-or-later
// Objects that are in no memory: in registers, constant, or in pieces of these and of memory.
#include "resolve/access.h"

#include <algorithm>

namespace tapir::resolve {

using ast::BinaryOp;
using ast::ExprPtr;
using ctypes::Type;

// The number that the pieces make, least significant byte first; those of a larger object stay apart.
bool Accessor::put_together(std::vector<ReachedPiece> pieces, Reached &object) {
    uint64_t total = 0;
    bool incomplete = false;
    for (const ReachedPiece &piece : pieces) {
        if (!piece.address && !piece.value) {
            incomplete = true;
            continue;
        }
        const bool loads = piece.bytes == 1 || piece.bytes == 2 || piece.bytes == 4 || piece.bytes == 8;
        if (piece.bytes == 0 || piece.bytes > (piece.address ? 4096 : 8) ||
            (total + piece.bytes <= 8 && piece.address && !loads))
            return fail(at_, "its location is in pieces of sizes that cannot be read");
        total += piece.bytes;
    }
    if (total > 8 || incomplete) {
        object.pieces = std::move(pieces);
        return true;
    }
    const auto combined = [this](BinaryOp op, ExprPtr left, ExprPtr right) {
        return std::make_unique<ast::Binary>(at_, op, std::move(left), std::move(right));
    };
    uint64_t at = 0;
    for (ReachedPiece &piece : pieces) {
        ExprPtr bits = piece.address
                           ? load(std::move(piece.address), piece.bytes)
                           : extract(std::move(piece.value), 0, static_cast<uint32_t>(piece.bytes * 8), false);
        if (at) bits = combined(BinaryOp::Shl, std::move(bits), number(static_cast<int64_t>(at * 8)));
        object.value =
            object.value ? combined(BinaryOp::Or, std::move(object.value), std::move(bits)) : std::move(bits);
        at += piece.bytes;
    }
    return true;
}

// From an object in pieces to the piece that holds a member, whose offset then counts from there; or to the pieces that
// the member consists of.
bool Accessor::enter_piece(Reached &object, ctypes::FoundMember &member, const SourceRef &at) {
    const auto bytes = ctypes::type_size(member.type);
    if (!member.bit_size && !bytes)
        return fail(at, "the size of type '" + ctypes::type_name(member.type) + "' is not known");
    const uint64_t bits = member.bit_size ? member.bit_size : *bytes * 8;
    const uint64_t behind = member.bit_offset + bits;
    std::vector<ReachedPiece> parts;
    uint64_t start = 0, taken = 0;
    for (ReachedPiece &piece : object.pieces) {
        const uint64_t end = start + piece.bytes * 8;
        if (member.bit_offset >= start && behind <= end && bits) {
            if (!piece.address && !piece.value) return fail(at, "this part of it is optimized out here");
            member.bit_offset -= start;
            object.address = std::move(piece.address);
            object.value = std::move(piece.value);
            object.pieces.clear();
            return true;
        }
        const uint64_t from = std::max(start, member.bit_offset), to = std::min(end, behind);
        if (from < to && (from - start) % 8 == 0 && (to - from) % 8 == 0) {
            const auto offset = static_cast<uint32_t>(from - start);
            ReachedPiece part{nullptr, nullptr, (to - from) / 8};
            if (piece.address) part.address = add(std::move(piece.address), number(offset / 8));
            if (piece.value)
                part.value = offset ? extract(std::move(piece.value), offset, static_cast<uint32_t>(to - from), false)
                                    : std::move(piece.value);
            parts.push_back(std::move(part));
            taken += to - from;
        }
        start = end;
    }
    if (!bits || taken != bits)
        return fail(at, "a value of type '" + ctypes::type_name(member.type) + "' is spread over several places here");
    member.bit_offset = 0;
    object.pieces.clear();
    return put_together(std::move(parts), object);
}

bool Accessor::element_in_registers(Reached &object, const ast::Component &component) {
    const Type array = object.type.stripped();
    const ctypes::TypeInfo info = array.info();
    if (component.index->kind != ast::ExprKind::Number)
        return fail(component.at, "an element of an array that is not in memory here is named by a number alone");
    const auto at = static_cast<uint64_t>(static_cast<const ast::Number &>(*component.index).value);
    ctypes::FoundMember part;
    part.type = array.with(info.target);
    const auto size = ctypes::type_size(part.type);
    if (!size || info.computed || at >= info.count)
        return fail(component.at, "an array that is not in memory here has no such element");
    part.bit_offset = at * *size * 8;
    return enter(object, std::move(part), component.at) && follow_reference(object, component.at);
}

}  // namespace tapir::resolve
