// SPDX-License-Identifier: GPL-2.0-or-later
// The description of a program's functions for the kernel: each takes and returns numbers, and is verified once, for
// itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bpf/link/image.h"

namespace tapir::bpf {

// struct bpf_func_info of linux/bpf.h.
struct FunctionInfo {
    uint32_t instruction;
    uint32_t type;  // its number in the BTF
};

struct Description {
    std::string btf;
    std::vector<FunctionInfo> functions;
};

// In the format of Documentation/bpf/btf.rst of the kernel.
Description describe(const Program &program);

}  // namespace tapir::bpf
