// SPDX-License-Identifier: GPL-2.0-or-later
// Where the arguments of a function are when it has just been called, and its result when it has returned.
#pragma once

#include <string_view>
#include <vector>

#include "ctypes/place.h"
#include "ctypes/type.h"

namespace tapir::target {

// Rust has no written convention. Its compilers have always passed numbers, pointers and pairs of them as C passes as
// many numbers, and larger values by address. Exact: C by the letter of the ABI. Split: as LLVM did before 18. It put
// the second half of a 16-byte integer on the stack if no register was left for it. On the stack such integers begin at
// any word. C: one of these two.
enum class Convention : uint8_t { C, Exact, Split, Rust };

// How a call passes a value, where other evidence shows it.
enum class Passed : uint8_t { Unknown, Itself, Address };

// Returns the places at the first instruction of a function with parameters of these types and such a result (void: id
// 0), on `arch`, named as `uname -m` prints it. Absent, with the reason: values in vector registers, all after a value
// whose way is unknown, and all on unknown processors (arch/arch.h). `passed` may say more about each than its type.
std::vector<ctypes::Place> argument_places(std::string_view arch, const std::vector<ctypes::Type> &types,
                                           const ctypes::Type &result, Convention convention = Convention::C,
                                           const std::vector<Passed> &passed = {});

// Returns where the result of this type is when the function has just returned to its caller. Absent on other
// processors, and for results in vector registers or at an address that is not known any longer. C++ has the same
// convention; Rust follows it for integers, pointers and structures.
ctypes::Place result_place(std::string_view arch, const ctypes::Type &type);

}  // namespace tapir::target
