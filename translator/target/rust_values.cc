// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/rust_values.h"

#include <algorithm>
#include <optional>

#include "target/scalars.h"

namespace tapir::target {

using arch::Hold;
using ctypes::Member;
using ctypes::Type;
using ctypes::TypeInfo;
using ctypes::TypeKind;

namespace {

constexpr int kMaxRustDepth = 32;  // of structures in structures
constexpr int kMaxRustTypes = 1000;

struct RustNumber {
    uint64_t offset = 0, size = 0;
    Hold hold = Hold::Integer;
    ctypes::Encoding encoding = ctypes::Encoding::Unsigned;
    friend bool operator==(const RustNumber &, const RustNumber &) = default;
};

// A value that consists of no number, one, two, or anything else.
struct RustLayout {
    bool known = true, aggregate = false;
    uint64_t size = 0;
    std::vector<RustNumber> numbers;  // empty for aggregates
};

const RustLayout kUnknown{.known = false, .numbers = {}};

uint64_t aligned(uint64_t offset, uint64_t to) {
    return (offset + to - 1) / to * to;
}

RustLayout aggregate(uint64_t size) {
    return {.aggregate = true, .size = size, .numbers = {}};
}

// Two numbers make a pair if between and behind them is only the padding for their alignment.
RustLayout pair(RustNumber first, RustNumber second, uint64_t size) {
    if (second.offset < first.offset) std::swap(first, second);
    const uint64_t alignment = std::min(std::max(first.size, second.size), kWord);
    const bool is_pair = first.offset == 0 && second.offset == aligned(first.size, std::min(second.size, kWord)) &&
                         size == aligned(second.offset + second.size, alignment);
    if (is_pair) return {.size = size, .numbers = {first, second}};
    return first.size > kWord || second.size > kWord ? kUnknown : aggregate(size);
}

class RustReader {
  public:
    RustLayout layout(const Type &type, int depth = 0) {
        const Type plain = type.stripped().completed();
        const TypeInfo info = plain.info();
        const auto size = ctypes::type_size(plain);
        if (!size || info.declaration || depth > kMaxRustDepth || --types_left_ < 0) return kUnknown;
        if (*size == 0) return {};
        switch (info.kind) {
            case TypeKind::Integer:
            case TypeKind::Enum:
            case TypeKind::Pointer:
                return {.size = *size, .numbers = {{0, *size, Hold::Integer, info.encoding}}};
            case TypeKind::Float:
                if (*size != 4 && *size != kWord) return kUnknown;
                return {.size = *size, .numbers = {{0, *size, Hold::Vector, info.encoding}}};
            case TypeKind::Array:
                return aggregate(*size);
            case TypeKind::Struct:
                break;
            default:  // unions: some were numbers at all times, others became so
                return *size > 2 * kWord ? aggregate(*size) : kUnknown;
        }
        const auto variants = plain.source->variants(plain.id);
        return variants ? of_variants(plain, *variants, *size, depth) : of_members(plain, *size, depth);
    }

  private:
    struct Field {
        uint64_t offset;
        RustLayout layout;
    };

    // Those that have a size; nothing if one is not known.
    std::optional<std::vector<Field>> fields(const Type &type, int depth) {
        std::vector<Field> found;
        for (const Member &member : type.source->members(type.id)) {
            if (member.place || member.in_variant) continue;
            RustLayout layout = this->layout(type.with(member.type), depth + 1);
            if (!layout.known) return std::nullopt;
            if (layout.size) found.push_back({member.bit_offset / 8, std::move(layout)});
        }
        return found;
    }

    RustLayout of_members(const Type &type, uint64_t size, int depth) {
        auto found = fields(type, depth);
        if (!found) return size > 2 * kWord ? aggregate(size) : kUnknown;
        if (found->size() == 1 && found->front().layout.size == size) return std::move(found->front().layout);
        if (found->size() != 2) return aggregate(size);
        RustNumber numbers[2];
        for (size_t i = 0; i < 2; ++i) {
            const Field &field = (*found)[i];
            if (field.layout.numbers.size() != 1) return aggregate(size);
            numbers[i] = field.layout.numbers[0];
            numbers[i].offset = field.offset;
        }
        return pair(numbers[0], numbers[1], size);
    }

    RustLayout of_variants(const Type &type, const ctypes::VariantPart &part, uint64_t size, int depth) {
        if (size > 2 * kWord) return aggregate(size);
        std::vector<std::vector<Field>> filled;
        Type only;
        for (const auto &variant : part.variants) {
            const Type of = type.with(variant.member.type).stripped().completed();
            auto found = fields(of, depth + 1);
            if (!found) return kUnknown;
            if (found->empty()) continue;
            only = of;
            filled.push_back(std::move(*found));
        }
        if (filled.empty()) return kUnknown;
        if (!part.discriminant) return filled.size() == 1 ? of_members(only, size, depth + 1) : kUnknown;
        const auto tag_size = ctypes::type_size(type.with(part.discriminant->type));
        const uint64_t tag = part.discriminant->bit_offset / 8;
        if (!tag_size) return kUnknown;
        const auto holds_tag = [&](const Field &field) {
            return tag < field.offset + field.layout.size && field.offset < tag + *tag_size;
        };
        for (const std::vector<Field> &one : filled)
            if (std::any_of(one.begin(), one.end(), holds_tag))
                return filled.size() == 1 ? of_members(only, size, depth + 1) : aggregate(size);
        return tagged(filled, {tag, *tag_size}, size);
    }

    // Variants of one and the same number behind the tag.
    static RustLayout tagged(const std::vector<std::vector<Field>> &filled, const RustNumber &tag, uint64_t size) {
        std::optional<RustNumber> common;
        for (const std::vector<Field> &fields : filled) {
            if (fields.size() != 1 || fields[0].layout.numbers.size() != 1) return aggregate(size);
            RustNumber number = fields[0].layout.numbers[0];
            number.offset = fields[0].offset;
            if (!common) common = number;
            if (number.offset != common->offset || number.size != common->size) return aggregate(size);
            if (!(number == *common)) return kUnknown;
        }
        return pair(tag, *common, size);
    }

    int types_left_ = kMaxRustTypes;
};

}  // namespace

RustValue rust_value_of(const Type &type) {
    const RustLayout layout = RustReader().layout(type);
    RustValue value;
    if (!layout.known) return value;
    value.size = layout.size;
    value.result =
        layout.aggregate && layout.size > 2 * kWord ? RustValue::Result::InMemory : RustValue::Result::Direct;
    if (!layout.aggregate) {
        value.kind = layout.numbers.empty() ? RustValue::Kind::Nothing : RustValue::Kind::Numbers;
        for (size_t i = 0; i < layout.numbers.size(); ++i) {
            const bool last = i + 1 == layout.numbers.size();
            const uint64_t end = last ? layout.size : layout.numbers[i + 1].offset;
            value.numbers.push_back({layout.numbers[i].hold, static_cast<uint8_t>(end - layout.numbers[i].offset)});
        }
    } else if (layout.size <= kWord) {
        value.kind = RustValue::Kind::Numbers;
        value.numbers = {{Hold::Integer, static_cast<uint8_t>(layout.size)}};
    } else {
        value.kind = layout.size > 2 * kWord ? RustValue::Kind::Address : RustValue::Kind::Either;
        if (layout.size <= 2 * kWord) value.numbers = {{Hold::Integer, static_cast<uint8_t>(layout.size)}};
    }
    return value;
}

}  // namespace tapir::target
