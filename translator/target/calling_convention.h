// SPDX-License-Identifier: GPL-2.0-or-later
// Where the arguments of a C function are when it has just been called, and its result when it has returned.
#pragma once

#include <string_view>
#include <vector>

#include "ctypes/place.h"
#include "ctypes/type.h"

namespace tapir::target {

// Places at the first instruction of a function with parameters of these types and such a result (void: id 0), by the
// convention of `arch`, named as `uname -m` prints it. What is passed in vector registers, and everything on processors
// that are not known (arch/arch.h), is absent, with the reason.
std::vector<ctypes::Place> argument_places(std::string_view arch, const std::vector<ctypes::Type> &types,
                                           const ctypes::Type &result);

// Where the result of this type is when the function has just returned to its caller. Absent on other processors, and
// for what is returned in vector registers or at an address that is not known any longer. C++ has the same convention;
// Rust has none that is written down, and follows it for integers, pointers and structures.
ctypes::Place result_place(std::string_view arch, const ctypes::Type &type);

}  // namespace tapir::target
