// SPDX-License-Identifier: GPL-2.0-or-later
// DWARF location descriptions (version 5, sections 2.5 and 2.6) turned into places.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "ctypes/place.h"
#include "dwarf/object.h"

namespace tapir::dwarf {

class CallerFrame;
class Index;

struct LocationContext {
    const Object &object;
    uint64_t pc = 0;                // as linked
    Dwarf_Die *function = nullptr;  // has the DW_AT_frame_base; null outside of functions
    bool at_entry = false;         // `pc` is the function's first instruction: registers still have the caller's values
    const Index *index = nullptr;  // finds callers; may be null
    const CallerFrame *frame = nullptr;  // what registers are there, if `pc` is not where the probe is but in a caller
    // For frames of stacks: by the place of a frame, the return addresses into its callers (dwarf/frames.h). Null: any
    // of the function's callers may have called.
    const std::map<uint64_t, std::set<uint64_t>> *frames = nullptr;
};

// Where the variable (or parameter) `die` is at context.pc. A variable that is optimised out there, or whose
// description cannot be expressed, is Absent with the reason.
ctypes::Place locate(Dwarf_Die *die, const LocationContext &context);

// The value that the variable `die` has there: its location is read as a number of its type. Absent, or a Value.
ctypes::Place value_of_variable(Dwarf_Die *die, const LocationContext &context, int depth);

// Computes an attribute's number that is not constant: by an expression, or from a variable that it refers to. Absent,
// or a Value.
ctypes::Place computed_number(Dwarf_Attribute *attribute, const LocationContext &context);

// The address of a member that has an expression for it: of TermOp::Object, where the structure is. Absent, or Memory.
ctypes::Place member_address(Dwarf_Attribute *attribute, const LocationContext &context);

// Expressions within expressions are followed no deeper.
constexpr int kMaxExpressionDepth = 8;
// True if `die` is described by a list of addresses, with a place for each range of them.
bool has_location_list(Dwarf_Die *die);

// Returns the canonical frame address (CFA) at context.pc; null without frame information.
ctypes::TermPtr frame_address(const LocationContext &context);

}  // namespace tapir::dwarf
