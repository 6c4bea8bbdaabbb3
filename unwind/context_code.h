// SPDX-License-Identifier: GPL-2.0-or-later
// Code that takes registers from a context in memory, on x86-64: signal handlers and coroutines of makecontext() return
// to its first instruction, which no call precedes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "unwind/rules.h"

namespace tapir::unwind {

// mov $15, %rax; syscall: the return of a signal handler, as the kernel's ABI asks for it.
inline constexpr std::string_view kCallSignalReturn{"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9};

// The frame of the return of a signal handler: all registers are where the kernel has saved them.
uint32_t add_signal_return(RuleSet &rules);

// Where signal handlers return to, in the code that was looked at; ascending.
std::vector<size_t> signal_returns(std::string_view code);

// May a function of so many bytes be one of the following?
bool is_context_size(uint64_t bytes);
// Is this the whole of a function that signal handlers return to?
bool is_signal_return(std::string_view function);
// Is this the whole of the GNU C library's function that coroutines of makecontext() return to?
bool is_context_start(std::string_view function);

}  // namespace tapir::unwind
