// SPDX-License-Identifier: GPL-2.0-or-later
// Commands of another program for a session that runs, a line each: stap-live passes on the keys that are pressed.
#pragma once

#include <string>
#include <vector>

namespace tapir::staprun {

class Commands {
  public:
    // Reads from a descriptor, which stays the caller's; -1: there is none.
    explicit Commands(int descriptor) : descriptor_(descriptor) {}

    // For poll(); -1 without one, and after its end.
    int descriptor() const { return descriptor_; }
    // Takes whole lines that are there. Call it when the descriptor is readable. It leaves lines out that are longer
    // than a command may be.
    std::vector<std::string> take();

  private:
    int descriptor_;
    std::string rest_;
};

}  // namespace tapir::staprun
