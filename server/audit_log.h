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
    // Opens it for good: the server may lose the right to do so when it changes its user. Else BadConfiguration.
    Outcome<void> open(const std::string &path);
    // Opens it again, as it may have been moved away. On failure the open file stays.
    Outcome<void> reopen();
    // Appends a line in one write, so that lines of several servers do not mix. Reports a failure to the system's log.
    void write(std::string_view line) const;

  private:
    std::string path_;
    mutable std::mutex mutex_;
    Descriptor file_;
};

}  // namespace tapir::server
