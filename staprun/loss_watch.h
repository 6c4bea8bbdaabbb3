// SPDX-License-Identifier: GPL-2.0-or-later
// Losses of the module while the session goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "module_control.h"

namespace tapir::staprun {

struct Loss {
    const char *what;  // "output": records that a full buffer had no room for; "messages": errors and warnings
                       // likewise; "hits" that were skipped or missed
    uint64_t count;
};

class LossWatch {
  public:
    explicit LossWatch(unsigned cpus) : cpus_(cpus) {}
    // Returns what has been lost since the last call, or since the start. Nothing if the module does not answer.
    std::vector<Loss> since_last(Control &control);

  private:
    unsigned cpus_;
    uint64_t output_ = 0, messages_ = 0, hits_ = 0;
};

}  // namespace tapir::staprun
