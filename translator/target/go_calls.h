// SPDX-License-Identifier: GPL-2.0-or-later
// Special properties of Go functions: their calls, and their moving stacks.
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

// True if the code at a site of a program is Go's: by the unit's language, or, without debug information, by marks of
// Go's code.
bool is_go(const DebugObject &object, const dwarf::CodeSite &site);

// Returns the bytes from the first instruction of a Go function to the end of the check for stack space; 0 if it has no
// check. A function whose stack must grow begins again, so only code behind the check runs exactly once for each call.
// Registers there are as at the entry.
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

// The key that identifies a call of a function while stacks move.
enum class GoCallKey {
    Goroutine,  // it is in its register where the function is entered and left
    Stack,      // assembly, which may use that register; it rarely calls code that makes stacks move
    Unknown,
};
// `site` is in Go's code.
GoCallKey go_call_key(const DebugObject &object, const dwarf::CodeSite &site);

}  // namespace tapir::target
