// SPDX-License-Identifier: GPL-2.0-or-later
// Names of functions of the running kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::staprun {

struct KernelFunction {
    std::string name;  // "vfs_read", "ext4_iget [ext4]"; "": none has the address
    uint64_t start = 0;
};

// Those that these addresses are in, by a text as /proc/kallsyms has it.
std::vector<KernelFunction> kernel_functions(const std::vector<uint64_t> &addresses, const std::string &symbols);

// True if a text of /proc/kallsyms has addresses. The kernel shows zeros instead to users who may not see them.
bool has_addresses(std::string_view symbols);

// True if this process sees them, with the rights that are in effect.
bool sees_kernel_addresses(const char *symbols = "/proc/kallsyms");

}  // namespace tapir::staprun
