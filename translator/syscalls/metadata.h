// SPDX-License-Identifier: GPL-2.0-or-later
// The system calls that a kernel has, by the headers of its build tree: numbers, and the arguments of the functions
// behind them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::syscalls {

// As the kernel's source writes it: "const char __user *" and "filename"; "" where the prototype names none.
struct Parameter {
    std::string type, name;
};

// One number of one ABI.
struct KernelCall {
    std::string name;   // __NR_NAME
    std::string entry;  // the function: "sys_newstat"
    uint32_t number = 0;
    bool narrow = false;         // as 32-bit programs call it
    bool has_prototype = false;  // the parameters are known, maybe none
    std::vector<Parameter> parameters;

    // The number is kept for a call that this kernel does not have (any more): all it answers is ENOSYS.
    bool is_missing() const { return entry == "sys_ni_syscall"; }
};

struct KernelCalls {
    std::vector<KernelCall> list;  // by `narrow`, then number
    std::string missing;           // why the list is empty; "" when it is not
};

// `build_dir` is the kernel's build tree, maybe ""; `arch` as `uname -m` prints it.
KernelCalls read_kernel_calls(const std::string &build_dir, const std::string &arch);

// ---- the parts, for tests

// "#define __NR_NAME NUMBER"
std::map<uint32_t, std::string> read_numbers(std::string_view header);
// "__SYSCALL(NUMBER, sys_x)" and its likes; where an entry has two functions, the second is for 32-bit programs.
std::map<uint32_t, std::string> read_entries(std::string_view header, bool narrow);
// "asmlinkage long sys_x(...);". If several stand under conditions, the last stays: that of the usual architectures.
std::map<std::string, std::vector<Parameter>> read_prototypes(std::string_view header);

}  // namespace tapir::syscalls
