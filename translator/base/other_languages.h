// SPDX-License-Identifier: GPL-2.0-or-later
// Words from bpftrace, DTrace, C or the shell, and their counterparts in this language.
#pragma once

#include <string>
#include <string_view>

namespace tapir {

// A probe of bpftrace or DTrace ("kprobe:vfs_read", "syscall::read:entry", "BEGIN") as advice in terms of this
// language; "" for anything else. A template or a path may be part of it.
std::string advice_for_probe(std::string_view probe);

// Returns the counterpart of a variable of another language ("comm", "NULL", "int"); "" for other names.
std::string advice_for_variable(std::string_view name);

// Returns the counterpart of a function or statement of another language ("count", "elif"); "" for other names.
std::string advice_for_function(std::string_view name);

// For a function of the kernel that is not there: the system call that is meant; "" when none is.
std::string advice_for_kernel_function(std::string_view name);

// True for the names of C's basic types, and for words that begin a declaration in C.
bool is_c_type(std::string_view word);

}  // namespace tapir
