// SPDX-License-Identifier: GPL-2.0-or-later
// The time and memory of a pass, for the lines of -v.
#pragma once

#include <chrono>
#include <string>

namespace tapir::driver {

// Measures from its construction, children that were waited for included.
class PassClock {
  public:
    PassClock();
    // "140usr/40sys/179real ms"
    std::string times() const;
    // "107328virt/96904res/7248shr/89576data kb": this process now.
    static std::string memory();

  private:
    std::chrono::steady_clock::time_point start_;
    long user_ms_, system_ms_;
};

}  // namespace tapir::driver
