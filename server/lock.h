// SPDX-License-Identifier: GPL-2.0-or-later
// Locks between servers that share a state directory.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "common/descriptor.h"

namespace tapir::server {

// A lock on a file, which is made if need be, that is waited for only as long as it makes sense.
class PatientLock {
  public:
    // `mode`: LOCK_SH or LOCK_EX. `cancelled` may be empty.
    PatientLock(const std::string &path, int mode, std::chrono::seconds patience,
                const std::function<bool()> &cancelled);
    PatientLock(const PatientLock &) = delete;
    PatientLock &operator=(const PatientLock &) = delete;
    bool held() const { return held_; }

  private:
    Descriptor file_;
    bool held_ = false;
};

/*
 * Files and directories in the making are locked by the processes that work on them. An unlocked one was left by a
 * server that was killed. A second lock, the file `gate`, makes creating and locking one step for the sweep.
 */
struct Draft {
    std::string path;  // "" if it could not be made, with errno
    Descriptor lock;   // a file's is open for writing
};
Draft draft_directory(const std::string &gate, const std::string &parent, const std::string &prefix);
Draft draft_file(const std::string &gate, const std::string &parent, const std::string &prefix);
// Takes one more lock, for a process that continues the work.
Descriptor share_draft(const std::string &path);
// Removes leftovers and returns their number.
size_t sweep_drafts(const std::string &gate, const std::string &parent, const std::string &prefix);

}  // namespace tapir::server
