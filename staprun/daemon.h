// SPDX-License-Identifier: GPL-2.0-or-later
// -D: going to the background, but only once the probes run, so that errors still reach the user.
#pragma once

#include <string>

#include "common/outcome.h"

namespace tapir::staprun {

class Daemon {
  public:
    // Forks. The caller continues in the child; the parent waits until the child is ready or gone, prints the child's
    // process id, and exits with 0 or 1. SetUpFailed, in the caller, without a child.
    Outcome<void> begin();
    // In the child: the probes run. Cuts the ties to the terminal; messages go to `log_file` from now on.
    void ready(const std::string &log_file);

  private:
    int notify_ = -1;
};

}  // namespace tapir::staprun
