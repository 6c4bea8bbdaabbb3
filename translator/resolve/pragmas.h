// SPDX-License-Identifier: GPL-2.0-or-later
// The comments in embedded C that describe it to the translator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/port_calls.h"

namespace tapir::resolve {

// Understands the comments pure, unprivileged, myproc-unprivileged, guru, stable, unmodified-fnargs, unmangled,
// borrowed, pragma:read:NAME and pragma:write:NAME, and keeps the remaining pragma:... as text.
ast::Pragmas read_pragmas(std::string_view code);

// The other pragmas of tapsets, "pragma:unwind" and so on: features that the runtime must provide. Nothing depends on
// them here. By "pragma:argument" a function returns the probed function's argument of that number, by "pragma:user:8"
// eight bytes of user memory: ir/touches.h.
const std::vector<std::string> &known_pragmas();
// Reports pragmas of a function that are unknown, or that contradict its type or each other.
void check_pragmas(const ast::Function &function, Diagnostics &diagnostics);
bool has_pragma(const ast::Function &function, std::string_view pragma);

// The function goes by the names of all system calls, or by how the arguments of those that are probed are shown: the
// module has to carry them.
constexpr std::string_view kSyscallNames = "pragma:syscall-names", kSyscallTexts = "pragma:syscall-texts";

// SYSCALL is the tapir_syscall_entry of the kernel.syscall probe that was hit; NULL at other probes, and for calls that
// the module's table does not have.
constexpr std::string_view kSyscallHere = "pragma:syscall-here";

// The function calls nothing that a probe could be at.
constexpr std::string_view kUntraced = "pragma:untraced";

// The function gives the same result in any thread and on any CPU, and may be preempted.
constexpr std::string_view kAnywhere = "pragma:anywhere";

// Returns the needs that a function declares, "pragma:needs:kernel": what it asks of the port. None declared says
// nothing; "script" is a need that every back end meets.
std::vector<PortNeed> declared_needs(const ast::Function &function);

// Returns the type of kernel object whose address a function gives ("pragma:type:task_struct"); "" for others.
std::string pragma_result(const ast::Function &function);

// True when the C text may hand a call on to the next overload.
bool embedded_may_fall_through(std::string_view code);

// True when the C text gives a value back.
bool embedded_returns(std::string_view code);

}  // namespace tapir::resolve
