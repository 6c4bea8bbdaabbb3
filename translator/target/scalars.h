// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of a value of a C type when it is passed to a function or returned; arch/arch.h says where they go.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/arch.h"
#include "ctypes/type.h"

namespace tapir::target {

constexpr uint64_t kWord = 8;  // bytes of a general register of all machines that are known

struct Scalars {
    std::vector<arch::Scalar> list;  // of a value of up to kTakenApart bytes, else not all
    uint64_t size = 0, alignment = 1;
    bool misplaced = false;  // a member is not aligned as it would be by itself
    bool known = false;      // else the type says too little
};

constexpr uint64_t kTakenApart = 64;  // bytes; larger values are in memory everywhere

Scalars scalars_of(const ctypes::Type &type);

}  // namespace tapir::target
