// SPDX-License-Identifier: GPL-2.0-or-later
// How returns of functions of programs are seen: by probes on the instructions by which a function returns, else by the
// kernel's return probe, which replaces return addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/attach.h"
#include "probes/kinds.h"

namespace tapir::probes {

struct ReturnWay {
    std::vector<uint64_t> exits;  // offsets in the file of the instructions by which the function returns
    std::string by_kernel;        // why the kernel's return probe is needed instead; "": `exits` are all
    std::string refused;          // why no way works; "": one does
    bool never = false;           // `refused` since calls never return: the function ends by _exit(), longjmp() or so
    bool comes_back = false;      // a call may execute the entry several times
    bool goroutine = false;       // calls can be identified by their goroutines
};
// Finds the way for a function of a program, at its first instruction or behind the check of its stack.
ReturnWay find_return(const target::DebugObject &object, const dwarf::CodeSite &function, uint64_t entry);

// Warns of an attachment's file whose process may end while the kernel follows calls of its functions: where exceptions
// or panics of C++ or Rust pass through them, or coroutines take turns.
void warn_of_kernel_returns(const ast::ProbePoint &point, const target::DebugObject &object,
                            const std::vector<FunctionSite> &sites, const ResolveContext &context);

}  // namespace tapir::probes
