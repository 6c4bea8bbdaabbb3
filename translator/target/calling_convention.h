// SPDX-License-Identifier: GPL-2.0-or-later
// Where the arguments of a C function are when it has just been called.
#pragma once

#include <string_view>
#include <vector>

#include "ctypes/place.h"
#include "ctypes/type.h"

namespace tapir::target {

// Places at the first instruction of a function with parameters of these types, by the System V ABI for x86-64 or the
// AAPCS64 for AArch64 (`arch` as `uname -m` prints it). What is passed in vector registers, and everything on other
// processors, is absent, with the reason.
std::vector<ctypes::Place> argument_places(std::string_view arch, const std::vector<ctypes::Type> &types);

}  // namespace tapir::target
