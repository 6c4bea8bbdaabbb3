// SPDX-License-Identifier: GPL-2.0-or-later
// What is special about functions of Go: how they are called, and that their stacks move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/arch.h"
#include "ctypes/place.h"
#include "ctypes/type.h"
#include "target/debug_info.h"

namespace tapir::target {

// Is the code at a site of a program Go's? By the unit's language, or by what tells Go's code from other code where
// there is no debug information.
bool is_go(const DebugObject &object, const dwarf::CodeSite &site);

// Bytes from the first instruction of a function of Go to behind the check whether its stack has room. A function whose
// stack has to grow is entered once more from its beginning, so that only what is behind the check runs once for each
// call. Registers are there as at the entry. 0: there is no check.
uint64_t behind_stack_check(const DebugObject &object, const dwarf::CodeSite &site);

// Likewise a place in such a function behind its check, by what is in registers there: absent where a register is one
// of those that were passed and is lost when the stack grows, as the function does not use it.
void refuse_lost(const DebugObject &object, const dwarf::CodeSite &site, ctypes::Place &place);

struct GoArgument {
    ctypes::Place place;  // when the function has been called, and until it changes registers or the stack
    int64_t home = 0;     // where its body has it unless optimized, from the stack pointer at the first instruction
};

// Arguments of these types, of a function with such results. `in_registers`: as Go 1.17 and later pass them; else all
// are on the stack. Absent, with a reason, from the first on whose type is not known.
std::vector<GoArgument> go_arguments(const arch::Arch &arch, const std::vector<ctypes::Type> &types,
                                     const std::vector<ctypes::Type> &results, bool in_registers);

// The same of its results, when it has just returned to its caller.
std::vector<ctypes::Place> go_results(const arch::Arch &arch, const std::vector<ctypes::Type> &types,
                                      const std::vector<ctypes::Type> &results, bool in_registers);

// A value in pieces as Go's compiler describes it, one for each number of it; with what is between members.
ctypes::Place with_gaps(ctypes::Place place, const ctypes::Type &type);

// Does the unit of a site pass arguments in registers?
bool go_uses_registers(const DebugObject &object, const dwarf::CodeSite &site);

// How calls of a function are told apart while stacks move.
enum class GoCallKey {
    Goroutine,  // it is in its register where the function is entered and left
    Stack,      // assembly, which may use that register; it rarely calls what makes stacks move
    Unknown,
};
// `site` is in Go's code.
GoCallKey go_call_key(const DebugObject &object, const dwarf::CodeSite &site);

}  // namespace tapir::target
