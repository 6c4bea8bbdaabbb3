// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes that a script does not tell and the estimate of its cost needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir::cost {

struct Assumptions {
    double frames = 20;        // of programs, on a stack
    double kernel_frames = 8;  // likewise, of the kernel
    double text = 12;          // bytes of a string that is not known
    double elements = 10;      // of an array that a handler goes through
    double turns = 8;          // of a loop whose number of turns is not known
    double cpus = 1;           // that timers of each CPU run on
    double ips = 2e9;          // instructions a second of one CPU
};

// Sets what a list "NAME=VALUE,..." says; the names are frames, kernel-frames, text, elements, turns, cpus and ips.
Outcome<void> assume(std::string_view list, Assumptions &assumptions);

// "stacks of 20 frames in programs and 8 in the kernel, ...": as the report has them.
std::string described(const Assumptions &assumptions);

// How walks of stacks begin.
enum class Walk : uint8_t {
    Plain,
    Inside,    // the hit has no registers: that of the kernel's stack begins in the module
    Returning  // at a call whose return the kernel probes: its return address is elsewhere
};

// The estimate's sizes: those that are assumed, and those of its range.
struct Sizes {
    double frames, kernel_frames, text, elements, turns;
    Walk walk = Walk::Plain;
};
enum class Level : uint8_t { Least, Typical, Most };
constexpr int kLevels = 3;
// Greatest sizes of the range, as multiples of those that are assumed.
constexpr double kMostOfAssumed = 4;
Sizes sizes_at(Level level, const Assumptions &assumptions);

}  // namespace tapir::cost
