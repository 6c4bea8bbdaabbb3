// SPDX-License-Identifier: GPL-2.0-or-later
// The frames of the threads of a process that stands still.
#pragma once

#include <cstdint>
#include <vector>

#include "core/remains.h"

namespace tapir::core {

struct Frame {
    uint64_t place = 0;   // the program counter
    bool called = false;  // it is a return address: the frame's code is before it
    uint64_t code() const { return place - (called ? 1 : 0); }
};

// From where the thread stands outwards, at most TAPIR_UNWIND_STEPS; at least the first.
std::vector<Frame> frames_of(Remains &process, const Thread &thread);

}  // namespace tapir::core
