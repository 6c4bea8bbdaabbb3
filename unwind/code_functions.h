// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of code that no unwind information speaks of, as that of C libraries that were compiled without: from the
 * instructions of each function (unwind/code_flow.h). Functions begin at symbols, at the entry, and where calls,
 * relocations and other code lead to. Only of x86-64.
 */
#pragma once

#include <string_view>
#include <vector>

#include "unwind/code_flow.h"

namespace tapir::unwind {

// How many bytes at the beginning only fill space: instructions that do nothing, or zeros.
size_t filling(std::string_view code);

// The parts of `spans` that are more than what fills the space between functions.
std::vector<CodeSpan> without_filling(const ElfFile &file, const std::vector<CodeSpan> &spans);

// Reports the state that is certain before each instruction of `spans`; some more than once, and not in order. `spans`
// ascend without overlaps. `covered` are functions outside of them, which may call them.
void code_functions(const ElfFile &file, std::vector<CodeSpan> spans, const std::vector<CodeSpan> &covered,
                    const CodeSink &sink);

}  // namespace tapir::unwind
