// SPDX-License-Identifier: GPL-2.0-or-later
// Hands out registers and stack to arguments, in order.
#pragma once

#include <span>

#include "ctypes/place.h"
#include "target/scalars.h"

namespace tapir::target {

ctypes::Place in_register(int64_t number);
ctypes::Place in_memory(ctypes::TermPtr address);
// At an offset from the stack pointer at a function's first instruction.
ctypes::Place at_stack_pointer(const arch::Arguments &convention, int64_t offset);

// The way of an integer of two words when one register is left: all of it on the stack, or only its second word.
enum class Pairs : uint8_t { Unknown, Whole, Split };

class ArgumentAssigner {
  public:
    ArgumentAssigner(const arch::Arguments &convention, Pairs pairs) : convention_(convention), pairs_(pairs) {}

    // A value of one or more parts, all in registers or none.
    ctypes::Place next(const arch::Parts &parts, uint64_t size, uint64_t alignment, bool number);
    // Parts that find their way each by itself. One of more than a word is lost where it does not fit the registers.
    ctypes::Place each(std::span<const arch::Part> parts);
    ctypes::Place on_stack(uint64_t size, uint64_t alignment);
    // The address of a value is passed instead of it.
    ctypes::Place reference();
    // From here on it is not known which registers are used.
    ctypes::Place lost();

  private:
    ctypes::Place part(const arch::Part &part);
    ctypes::Place split(const arch::Parts &parts);
    static ctypes::Place unknown();

    const arch::Arguments &convention_;
    const Pairs pairs_;
    size_t used_ = 0, vectors_ = 0;              // registers
    uint64_t stack_ = 0;                         // bytes
    bool lost_ = false, lost_integers_ = false;  // the latter: and the stack, but not vector registers
};

}  // namespace tapir::target
