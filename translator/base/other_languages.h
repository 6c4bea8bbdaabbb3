// SPDX-License-Identifier: GPL-2.0-or-later
// What people write who come from bpftrace, DTrace, C or a shell, and how it is written here.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// A probe of bpftrace or DTrace ("kprobe:vfs_read", "syscall::read:entry", "BEGIN") as advice in terms of this
// language; "" for anything else. A template or a path may be part of it.
std::string advice_for_probe(std::string_view probe);

// What stands for a variable of another language ("comm", "NULL", "int"); "" when the name is none.
std::string advice_for_variable(std::string_view name);

// What stands for a function or a statement of another language ("count", "elif"); "" when the name is none.
std::string advice_for_function(std::string_view name);

// For a function of the kernel that is not there: the system call that is meant; "" when none is.
std::string advice_for_kernel_function(std::string_view name);

// True for the names of C's basic types, and for words that begin a declaration in C.
bool is_c_type(std::string_view word);

}  // namespace tapir
