// SPDX-License-Identifier: GPL-2.0-or-later
// The file that the audit log is written to beside the system's log.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "common/descriptor.h"
#include "common/outcome.h"

namespace tapir::server {

// May be used by any thread.
class AuditLog {
  public:
    // Opens it for good: whoever serves later may not be allowed to. Else BadConfiguration.
    Outcome<void> open(const std::string &path);
    // Opens it anew, as it may have been moved away. When that is not possible, what was open stays.
    Outcome<void> reopen();
    // Appends a line in one piece, so that those of several servers do not mix. A failure is told to the system's log.
    void write(std::string_view line) const;

  private:
    std::string path_;
    mutable std::mutex mutex_;
    Descriptor file_;
};

}  // namespace tapir::server
