// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of stacks: the functions around a program counter on a stack.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "dwarf/functions.h"
#include "dwarf/scopes.h"

namespace tapir::dwarf {

// For one object, as linked: the places of frames, and the return addresses of their callers in the same object. The
// place of a return address is the last byte of the call.
using FramePlaces = std::map<uint64_t, std::set<uint64_t>>;

// Returns the functions that code belongs to: the innermost inlined instance first, the function that has the code
// last. Each site's `line` is where it stands in the function: the line of the code, or of the call that was inlined;
// 0: unknown. Empty if debug information has no function there.
std::vector<CodeSite> frames_at(const Object &object, const Index &index, uint64_t address);

// A function on a stack.
struct FrameSite {
    CodeSite site;
    uint32_t depth = 0;  // how many functions that were inlined there are within it
};

// Finds the functions that match at these places, sorted by place and depth. The pattern's lines are those where
// functions stand. `index` may be null: symbols name functions, too. False if nothing has the name.
bool find_frames(const Object &object, const Index *index, const std::shared_ptr<const FramePlaces> &places,
                 const FunctionPattern &pattern, std::vector<FrameSite> &found);

// Finds the DIE of the function that has the code at an address; false if no function has.
bool subprogram_at(const Object &object, const Index &index, uint64_t address, Dwarf_Die &function);

}  // namespace tapir::dwarf
