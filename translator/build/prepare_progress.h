// SPDX-License-Identifier: GPL-2.0-or-later
// The progress of the kbuild run behind a template, by the cost of its steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/activity.h"

namespace tapir::build {

class PrepareProgress {
  public:
    // `source_root` has kmod/ and runtime/; `work` is where kbuild compiles copies of them.
    PrepareProgress(const std::string &source_root, const std::string &work);
    // In one thread at a time, which may be any. A step counts once its result is there. The extent never shrinks: in
    // the end all is moved away.
    Extent extent();

  private:
    struct Step {
        std::string made;
        uint64_t cost = 0;
    };
    std::vector<Step> steps_;
    uint64_t most_ = 0;
};

}  // namespace tapir::build
