// SPDX-License-Identifier: GPL-2.0-or-later
// Where the arguments of a function are when it has just been called, and its result when it has returned.
#pragma once

#include <string_view>
#include <vector>

#include "ctypes/place.h"
#include "ctypes/type.h"

namespace tapir::target {

// Rust has no convention that is written down. What its compilers have always done is known: numbers, pointers and
// pairs of them are passed as C passes as many numbers, and larger values by their address. Exact: C by the letter of
// the ABI. Split: as LLVM did before 18, with integers of 16 bytes whose second half finds no register on the stack by
// that half, and there on any word. C: one of them.
enum class Convention : uint8_t { C, Exact, Split, Rust };

// What a call passes of a value, where that is known from elsewhere.
enum class Passed : uint8_t { Unknown, Itself, Address };

// Places at the first instruction of a function with parameters of these types and such a result (void: id 0), on
// `arch`, named as `uname -m` prints it. What is passed in vector registers, what comes after a value whose way is not
// known, and everything on processors that are not known (arch/arch.h), is absent, with the reason. `passed` may
// tell more of each than its type.
std::vector<ctypes::Place> argument_places(std::string_view arch, const std::vector<ctypes::Type> &types,
                                           const ctypes::Type &result, Convention convention = Convention::C,
                                           const std::vector<Passed> &passed = {});

// Where the result of this type is when the function has just returned to its caller. Absent on other processors, and
// for what is returned in vector registers or at an address that is not known any longer. C++ has the same convention;
// Rust follows it for integers, pointers and structures.
ctypes::Place result_place(std::string_view arch, const ctypes::Type &type);

}  // namespace tapir::target
