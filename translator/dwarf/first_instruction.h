// SPDX-License-Identifier: GPL-2.0-or-later
// Judges descriptions of variables at the first instruction of their function. Compilers describe the place that a
// variable has once the function has set up its frame, often without saying so: an expression without a list of
// addresses holds "for the whole function".
#pragma once

#include <optional>
#include <span>

#include "arch/arch.h"
#include "dwarf/location.h"

namespace tapir::dwarf {

// Returns the facts about an object's processor; nullptr if it is unknown.
const arch::Arch *arch_of(const Object &object);

// Has only optimized code variables where this one is: here and there, or in a register?
bool is_optimized(Dwarf_Die *variable);

// Where the instructions end that set up a function's frame and put its parameters there: where the line table says so,
// else, of a function of an `unoptimized` unit, where its second line begins. Compilers that optimize have other code
// there. Nothing where that is not known or is the entry.
std::optional<uint64_t> after_prologue(Dwarf_Die *function, bool unoptimized);

// `told`, which a description means at context.pc, if it holds at this first instruction; else absent, with `later` set
// if it will. `everywhere`: the description, if it has no list of addresses.
ctypes::Place at_first_instruction(const LocationContext &context, ctypes::Place told,
                                   std::span<const Dwarf_Op> everywhere, bool parameter);

}  // namespace tapir::dwarf
