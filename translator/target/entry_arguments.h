// SPDX-License-Identifier: GPL-2.0-or-later
// Where the parameters of a function are when it is entered, if its debug information does not say it.
#pragma once

#include <optional>
#include <vector>

#include "target/debug_info.h"

namespace tapir::target {

// Compilers describe parameters as the function's body finds them, which may be only once it has put them there, or
// only as far as its body uses them; the caller has put the arguments where the ABI says. In the order of
// dwarf::parameters_of(); absent where nothing is known or the debug information is right. That is all that is known
// where the function at the site may be called in another way, and where the debug information has a parameter
// elsewhere at the entry than the ABI.
std::vector<ctypes::Place> entry_arguments(const DebugObject &object, const dwarf::CodeSite &site);

// The results of a function of Go, with their places when it has just returned. Those without a name are "r0", "r1" and
// so on.
std::vector<Variable> go_function_results(const DebugObject &object, const dwarf::CodeSite &site);

// True if a parameter's place in the debug information, anywhere in a function, is really the place of its address:
// LLVM so describes a parameter passed by an address on the stack. `entry` is the function's.
bool is_address_on_stack(const DebugObject &object, const dwarf::CodeSite &entry,
                         const dwarf::ScopeVariable &parameter);

// The place behind the instructions that set up the function's frame; nothing where that is not known.
std::optional<dwarf::CodeSite> behind_prologue(const DebugObject &object, const dwarf::CodeSite &site);

// A place at the first instruction of a function, as it is before the call instruction that leads there.
ctypes::Place before_call(const DebugObject &object, const ctypes::Place &place);

}  // namespace tapir::target
