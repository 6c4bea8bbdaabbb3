// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions by which a function of a program or library is left.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tapir::target {

struct DebugObject;

struct FunctionExits {
    // Linked addresses of the return instructions, ascending.
    std::vector<uint64_t> returns;
    // The code that is the function's, by linked addresses, ends exclusive; the first part has the entry.
    std::vector<std::pair<uint64_t, uint64_t>> parts;
    // "": control leaves the function by `returns` only, apart from longjmp(), exceptions and calls that never return;
    // if there are none, the function never returns by itself. Else why that is not so or not known, a clause for
    // people: "it ends by a jump to 'g' at 0x1234, so that its result comes from elsewhere".
    std::string why_not;
    // A call may execute the entry several times: a jump of the function leads there.
    bool comes_back = false;
};

// Finds the exits of the function whose first instruction is at `entry`, a linked address. Facts read on the way are
// kept with the object, so that the next functions cost little. Not thread-safe.
FunctionExits function_exits(const DebugObject &object, uint64_t entry);

// Does the kernel put no uprobe on the instruction at a linked address? It takes the registration of one and then
// leaves it out, as soon as a process maps the file, without telling anybody.
bool takes_no_uprobe(const DebugObject &object, uint64_t address);

// The length of the instructions that take no uprobe at a function's entry, a linked address. 0 unless a uprobe behind
// them is hit as often and sees the same: they change no register, and nothing jumps behind them.
uint64_t behind_unprobed(const DebugObject &object, uint64_t entry);

}  // namespace tapir::target
