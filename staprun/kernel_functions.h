// SPDX-License-Identifier: GPL-2.0-or-later
// Names of functions of the running kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tapir::staprun {

struct KernelFunction {
    std::string name;  // "vfs_read", "ext4_iget [ext4]"; "": none has the address
    uint64_t start = 0;
};

// Those that these addresses are in, by a text as /proc/kallsyms has it.
std::vector<KernelFunction> kernel_functions(const std::vector<uint64_t> &addresses, const std::string &symbols);

}  // namespace tapir::staprun
