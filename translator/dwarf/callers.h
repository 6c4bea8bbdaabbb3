// SPDX-License-Identifier: GPL-2.0-or-later
// Parameters that a function itself no longer has, from its callers. A call site describes how the caller can compute a
// parameter again after the call (DWARF 5, section 3.4). The return address identifies the call site.
#pragma once

#include <cstdint>
#include <optional>

#include "ctypes/place.h"
#include "dwarf/object.h"

namespace tapir::dwarf {

class Index;
struct FunctionEntry;
struct LocationContext;

// The caller's registers, by the function's call frame information at a place.
class CallerFrame {
  public:
    // `context` must outlive it.
    explicit CallerFrame(const LocationContext &context);

    // Null when it is not known.
    ctypes::TermPtr value_of(uint64_t reg) const;
    ctypes::TermPtr return_address() const;

  private:
    const LocationContext &context_;
    Frame frame_;
};

// A parameter by the register that it is passed in or, with a DIE, by its description.
struct CallerParameter {
    uint64_t reg = 0;
    Dwarf_Die die = {};
};

// The register that an expression names alone.
std::optional<uint64_t> single_register(const Dwarf_Op *ops, size_t count);

// A Value that is chosen when the program runs, by the return address. It is an error of the script if the call comes
// from elsewhere than this object's call sites. Absent if no call site has the value.
ctypes::Place value_from_callers(const CallerParameter &parameter, const LocationContext &context, int depth);

// The same at a frame of a stack, from where context.frames say that the function was called. A call through a pointer
// counts if the caller still has the pointer; the program's error is that of a call of something that went on here by a
// jump.
ctypes::Place value_from_frames(const CallerParameter &parameter, const LocationContext &context, int depth);

// Returns the code of the function that a call's origin names. That is this very function, else one of the same unit.
// dwz moves what units have in common to another unit: then it is one of the caller's unit, else an external one. Null
// if no function has code.
const FunctionEntry *called_function(const Object &object, const Index &index, Dwarf_Die *call, Dwarf_Die *origin);

}  // namespace tapir::dwarf
