// SPDX-License-Identifier: GPL-2.0-or-later
// DWARF location descriptions (version 5, sections 2.5 and 2.6) turned into places.
#pragma once

#include "ctypes/place.h"
#include "dwarf/object.h"

namespace tapir::dwarf {

struct LocationContext {
    const Object &object;
    uint64_t pc = 0;                // as linked
    Dwarf_Die *function = nullptr;  // has the DW_AT_frame_base; null outside of functions
    bool at_entry = false;  // `pc` is the function's first instruction: registers still have the caller's values
};

// Where the variable (or parameter) `die` is at context.pc. A variable that is optimised out there, or whose
// description cannot be expressed, is Absent with the reason.
ctypes::Place locate(Dwarf_Die *die, const LocationContext &context);

// The canonical frame address at context.pc; null when there is no frame information for it.
ctypes::TermPtr frame_address(const LocationContext &context);

}  // namespace tapir::dwarf
