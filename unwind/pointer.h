// SPDX-License-Identifier: GPL-2.0-or-later
// Pointers of .eh_frame and .eh_frame_hdr: Linux Standard Base, Core, generic part, 10.5 "DWARF Extensions".
#pragma once

#include <cstdint>
#include <optional>

#include "unwind/bytes.h"

namespace tapir::unwind {

inline constexpr uint8_t kPointerOmitted = 0xff;

// The bases that encoded pointers may be relative to.
struct PointerBase {
    uint64_t content = 0;   // address of the first byte that is read from
    uint64_t text = 0;      // DW_EH_PE_textrel
    uint64_t data = 0;      // DW_EH_PE_datarel
    uint64_t function = 0;  // DW_EH_PE_funcrel
};

// Nothing: omitted, not readable here (indirect, unknown), or beyond the end. The bytes are consumed as far as known.
std::optional<uint64_t> read_pointer(Bytes &in, uint8_t encoding, const PointerBase &base);

}  // namespace tapir::unwind
