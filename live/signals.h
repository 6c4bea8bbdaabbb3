// SPDX-License-Identifier: GPL-2.0-or-later
// SIGINT, SIGTERM and SIGHUP, as something to read. While this lives, they do not end the process, and writing to a
// pipe without a reader does not either.
#pragma once

#include "common/descriptor.h"

namespace tapir::live {

class Signals {
  public:
    Signals();
    ~Signals();
    Signals(const Signals &) = delete;
    Signals &operator=(const Signals &) = delete;

    int descriptor() const { return read_.get(); }
    // The next one; 0: there is none.
    int next();

  private:
    Descriptor read_, write_;
};

}  // namespace tapir::live
