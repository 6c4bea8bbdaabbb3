// SPDX-License-Identifier: GPL-2.0-or-later
// The frames of the threads of a process that stands still.
#pragma once

#include <cstdint>
#include <functional>

#include "core/c_interface.h"
#include "core/remains.h"

namespace tapir::core {

struct Frame {
    uint64_t place = 0;   // the program counter
    bool called = false;  // it is a return address: the frame's code is before it
    uint64_t code() const { return place - (called ? 1 : 0); }
};

// Visits the frames from where the thread stands outwards, at most `most` (> 0); at least the first. Why it ends there,
// an enum tapir_unwind_end: TAPIR_UNWIND_COMPLETE at the thread's outermost frame.
uint8_t each_frame(Remains &process, const Thread &thread, const std::function<void(const Frame &)> &visit,
                   uint32_t most = TAPIR_CORE_FRAMES);

}  // namespace tapir::core
