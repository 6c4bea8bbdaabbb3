// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/pointer.h"

namespace tapir::unwind {

namespace {

enum Format : uint8_t {
    kAbsolute = 0,
    kUleb = 1,
    kU2 = 2,
    kU4 = 3,
    kU8 = 4,
    kSleb = 9,
    kS2 = 10,
    kS4 = 11,
    kS8 = 12,
};
enum Application : uint8_t { kPlain = 0x00, kPcRel = 0x10, kTextRel = 0x20, kDataRel = 0x30, kFuncRel = 0x40 };
constexpr uint8_t kIndirect = 0x80;

bool read_value(Bytes &in, uint8_t format, uint64_t &value) {
    switch (format) {
        case kAbsolute:
        case kU8:
        case kS8:
            value = in.u64();
            return true;
        case kUleb:
            value = in.uleb();
            return true;
        case kSleb:
            value = static_cast<uint64_t>(in.sleb());
            return true;
        case kU2:
            value = in.u16();
            return true;
        case kU4:
            value = in.u32();
            return true;
        case kS2:
            value = static_cast<uint64_t>(int64_t{in.fixed<int16_t>()});
            return true;
        case kS4:
            value = static_cast<uint64_t>(int64_t{in.fixed<int32_t>()});
            return true;
    }
    return false;
}

}  // namespace

std::optional<uint64_t> read_pointer(Bytes &in, uint8_t encoding, const PointerBase &base) {
    if (encoding == kPointerOmitted) return std::nullopt;
    const uint64_t here = base.content + in.at();
    uint64_t value = 0;
    if (!read_value(in, encoding & 15, value) || in.failed() || (encoding & kIndirect)) return std::nullopt;
    switch (encoding & 0x70) {
        case kPlain:
            return value;
        case kPcRel:
            return here + value;
        case kTextRel:
            return base.text + value;
        case kDataRel:
            return base.data + value;
        case kFuncRel:
            return base.function + value;
    }
    return std::nullopt;
}

}  // namespace tapir::unwind
