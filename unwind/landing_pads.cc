// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/landing_pads.h"

#include "unwind/pointer.h"

namespace tapir::unwind {

std::optional<std::vector<uint64_t>> landing_pads(std::string_view table, uint64_t address, uint64_t function) {
    Bytes in(table);
    const PointerBase base{.content = address, .function = function};
    uint64_t origin = function;
    if (const uint8_t encoding = in.u8(); encoding != kPointerOmitted) {
        const std::optional<uint64_t> told = read_pointer(in, encoding, base);
        if (!told) return std::nullopt;
        origin = *told;
    }
    if (in.u8() != kPointerOmitted) in.uleb();  // where the types are
    const uint8_t encoding = in.u8();
    const uint64_t bytes = in.uleb();
    if (in.failed() || encoding == kPointerOmitted) return std::nullopt;
    Bytes sites(in.take(bytes));
    if (in.failed()) return std::nullopt;
    std::vector<uint64_t> pads;
    while (!sites.done()) {
        const std::optional<uint64_t> start = read_pointer(sites, encoding & 15, {});
        const std::optional<uint64_t> length = read_pointer(sites, encoding & 15, {});
        const std::optional<uint64_t> pad = read_pointer(sites, encoding & 15, {});
        sites.uleb();  // the action there
        if (!start || !length || !pad || sites.failed()) return std::nullopt;
        if (*pad) pads.push_back(origin + *pad);
    }
    return pads;
}

}  // namespace tapir::unwind
