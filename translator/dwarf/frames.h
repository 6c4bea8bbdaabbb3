// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of stacks: what a program counter on a stack stands in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "dwarf/functions.h"
#include "dwarf/scopes.h"

namespace tapir::dwarf {

// Of one object, as linked: where frames stand, of a return address the last byte of the call; and the return addresses
// of their callers in the same object.
using FramePlaces = std::map<uint64_t, std::set<uint64_t>>;

// The functions that code belongs to: the innermost inlined instance first, the function that has the code last. Each
// site's `line` is where it stands in the function: the line of the code, or of the call that was inlined; 0: unknown.
// Empty where debug information tells of no function.
std::vector<CodeSite> frames_at(const Object &object, const Index &index, uint64_t address);

// A function on a stack.
struct FrameSite {
    CodeSite site;
    uint32_t depth = 0;  // how many functions that were inlined there are within it
};

// The functions that match at these places, sorted by place and depth. The pattern's lines are those where functions
// stand. `index` may be null: symbols tell of functions, too. False: nothing has the name.
bool find_frames(const Object &object, const Index *index, const std::shared_ptr<const FramePlaces> &places,
                 const FunctionPattern &pattern, std::vector<FrameSite> &found);

// The DIE of the function that has the code at an address; false where there is none.
bool subprogram_at(const Object &object, const Index &index, uint64_t address, Dwarf_Die &function);

}  // namespace tapir::dwarf
