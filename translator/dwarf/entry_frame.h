// SPDX-License-Identifier: GPL-2.0-or-later
// The stack at a function's entry.
#pragma once

#include <cstdint>
#include <string>

#include "dwarf/object.h"

namespace tapir::dwarf {

// A return is probed by replacing the return address of a call, which must be where calls leave it. Code that is
// entered by a jump has something else there: a program's first instruction has the number of its arguments, the return
// from a signal handler has its context. Returns why the code at an address has no return address, by call frame
// information and the ELF header, or "".
std::string why_no_return_address(const Object &object, uint64_t entry);

}  // namespace tapir::dwarf
