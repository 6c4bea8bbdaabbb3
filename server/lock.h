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
 * Files and directories that are being made are locked by those who work on them: one that nobody has locked was left
 * by a server that was killed. Making and locking one is one step for those who look, by another lock: `gate`, a file.
 */
struct Draft {
    std::string path;  // "" if it could not be made, with errno
    Descriptor lock;   // a file's is open for writing
};
Draft draft_directory(const std::string &gate, const std::string &parent, const std::string &prefix);
Draft draft_file(const std::string &gate, const std::string &parent, const std::string &prefix);
// One more lock, for who goes on working on it.
Descriptor share_draft(const std::string &path);
// Removes what was left. Their number.
size_t sweep_drafts(const std::string &gate, const std::string &parent, const std::string &prefix);

}  // namespace tapir::server
