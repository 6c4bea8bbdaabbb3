// SPDX-License-Identifier: GPL-2.0-or-later
// How Rust's compilers hand values of a type to functions. It goes by the value's layout, which they do not write down
// and debug information shows: a number, two of them, or something larger.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/arch.h"
#include "ctypes/type.h"

namespace tapir::target {

struct RustValue {
    // Either: by its address or in two words; compilers of different years differ.
    enum class Kind : uint8_t { Nothing, Numbers, Address, Either, Unknown };
    enum class Result : uint8_t { Direct, InMemory, Unknown };
    Kind kind = Kind::Unknown;
    std::vector<arch::Part> numbers;  // each passed by itself
    uint64_t size = 0;
    Result result = Result::Unknown;
};

RustValue rust_value_of(const ctypes::Type &type);

}  // namespace tapir::target
