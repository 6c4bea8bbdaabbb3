// SPDX-License-Identifier: GPL-2.0-or-later
// Waits of idle threads, which have nothing to do until an event, a connection or work comes.
// Pictures of waits consist mostly of them, so they are put together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/profile.h"

namespace tapir::report {

inline constexpr char kIdle[] = "[idle]";

class IdleWaits {
  public:
    explicit IdleWaits(const FrameTable &frames) : frames_(frames) {}
    // Takes a stack's frames from number `first` on, the root first. Returns "[waits for events]" and the like for a
    // thread that gives up its processor in such a wait, else "".
    std::string kind(const std::vector<uint32_t> &stack, size_t first);
    // Does the stack end where a thread gives up its processor?
    bool is_wait(std::span<const uint32_t> stack);

  private:
    uint32_t signs(uint32_t frame);

    const FrameTable &frames_;
    std::vector<uint32_t> known_;  // by frame; 0: not looked at
};

// More than `least` of the value is in stacks that end where the kernel takes the processor away.
bool is_of_waits(const Profile &profile, const FrameTable &frames, double least = 0.5);

}  // namespace tapir::report
