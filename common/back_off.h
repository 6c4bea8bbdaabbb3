// SPDX-License-Identifier: GPL-2.0-or-later
// How long to wait before a program that fails is started again.
#pragma once

#include <algorithm>
#include <chrono>

namespace tapir {

class BackOff {
  public:
    using Seconds = std::chrono::seconds;
    static constexpr Seconds kFirst{1}, kMost{300};

    // The program failed. Returns how long to wait: 1, 2, 4 seconds and so on, at most 300.
    Seconds failed() {
        const Seconds now = next_;
        next_ = std::min(next_ * 2, kMost);
        return now;
    }
    // It did well: the next failure is the first one.
    void succeeded() { next_ = kFirst; }

  private:
    Seconds next_ = kFirst;
};

}  // namespace tapir
