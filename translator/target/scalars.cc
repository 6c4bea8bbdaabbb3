// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/scalars.h"

#include <algorithm>

namespace tapir::target {

using ctypes::Encoding;
using ctypes::Member;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

using Kind = arch::Scalar::Kind;

constexpr int kMaxDepth = 16;    // of structures in structures
constexpr int kMaxTypes = 1000;  // in one value

class Taker {
  public:
    explicit Taker(Scalars &out) : out_(out) {}

    // Adds the value at `offset`; returns its alignment, or 0 if the type does not have enough information.
    uint64_t add(const Type &type, uint64_t offset, int depth = 0) {
        const Type plain = type.stripped().completed();
        const TypeInfo info = plain.info();
        if (depth > kMaxDepth || --types_left_ < 0) return 0;
        switch (info.kind) {
            case TypeKind::Integer:
            case TypeKind::Enum:
            case TypeKind::Pointer:
                return info.declaration ? 0 : integer(info.size, offset);
            case TypeKind::Float:
                return floating(info, offset);
            case TypeKind::Array:
                return array(plain, info, offset, depth);
            case TypeKind::Struct:
            case TypeKind::Union:
                return info.declaration || info.computed ? 0 : structure(plain, info, offset, depth);
            case TypeKind::Unknown:  // a pointer to a member: one word or two
                for (uint64_t at = 0; at < info.size; at += kWord)
                    integer(kWord, offset + at);
                return info.size ? kWord : 0;
            default:
                return 0;
        }
    }

  private:
    uint64_t put(Kind kind, uint64_t size, uint64_t offset, uint64_t alignment) {
        if (size == 0) return 1;
        if (offset % alignment) out_.misplaced = true;
        if (offset < kTakenApart) out_.list.push_back({kind, offset, size});
        return alignment;
    }

    uint64_t integer(uint64_t size, uint64_t offset) {
        if (size == 0) return 0;
        // _BitInt(N) of many bits is an array of words.
        const bool odd = size & (size - 1) || size > 2 * kWord;
        return put(Kind::Integer, size, offset, odd ? kWord : size);
    }

    uint64_t floating(const TypeInfo &info, uint64_t offset) {
        const bool complex = info.encoding == Encoding::Complex;
        const uint64_t size = complex ? info.size / 2 : info.size;
        const bool extended =
            size == 2 * kWord && info.encoding != Encoding::Decimal && info.name.find("128") == std::string::npos;
        const Kind kind = size <= kWord ? Kind::Float : extended ? Kind::Extended : Kind::Vector;
        if (size == 0 || size & (size - 1)) return 0;
        if (complex) put(kind, size, offset + size, size);
        return put(kind, size, offset, size);
    }

    uint64_t array(const Type &type, const TypeInfo &info, uint64_t offset, int depth) {
        const Type element = type.with(info.target);
        const auto size = ctypes::type_size(element);
        if (!size || info.computed) return 0;
        if (info.vector)
            return put(Kind::Vector, info.count * *size, offset, std::max<uint64_t>(info.count * *size, 1));
        uint64_t alignment = add(element, offset, depth + 1);
        for (uint64_t i = 1; i < info.count && *size && alignment && offset + i * *size < kTakenApart; ++i)
            alignment = add(element, offset + i * *size, depth + 1);
        return alignment;
    }

    uint64_t structure(const Type &type, const TypeInfo &info, uint64_t offset, int depth) {
        uint64_t alignment = 1, explicit_alignment = std::max<uint64_t>(info.alignment, 1);
        for (const Member &member : type.source->members(type.id)) {
            if (member.place || (member.inherited && member.is_computed))
                continue;  // static, or elsewhere in the object
            if (member.is_computed || !member.unplaced.empty()) return 0;
            const uint64_t of_member = this->member(type, member, offset, depth);
            if (!of_member) return 0;
            alignment = std::max(alignment, of_member);
            explicit_alignment = std::max(explicit_alignment, member.alignment);
        }
        // One that is packed.
        if (info.size % alignment) alignment = 1;
        return std::max(alignment, explicit_alignment);
    }

    uint64_t member(const Type &type, const Member &member, uint64_t offset, int depth) {
        const Type of = type.with(member.type);
        if (!member.bit_size) return add(of, offset + member.bit_offset / 8, depth + 1);
        const uint64_t first = offset + member.bit_offset / 8, bits = member.bit_offset % 8 + member.bit_size;
        if (first < kTakenApart) out_.list.push_back({Kind::Integer, first, (bits + 7) / 8});
        return std::max<uint64_t>(ctypes::type_size(of).value_or(1), 1);
    }

    Scalars &out_;
    int types_left_ = kMaxTypes;
};

}  // namespace

Scalars scalars_of(const Type &type) {
    Scalars scalars;
    const Type plain = type.stripped().completed();
    const auto size = ctypes::type_size(plain);
    const TypeInfo info = plain.info();
    if (!size && info.kind != TypeKind::Unknown) return scalars;
    scalars.size = size.value_or(info.size);
    scalars.alignment = Taker(scalars).add(plain, 0);
    scalars.known = scalars.alignment != 0;
    return scalars;
}

}  // namespace tapir::target
