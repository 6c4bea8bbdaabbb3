// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Control groups that limit what memory the processes of one sandbox need together, with the files they write to
 * memory. They are made below the group that the server itself was started in, of either version of control groups;
 * where that is not possible, there is only the limit of each process.
 */
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir::server {

struct Hierarchy {
    std::string path;      // the directory of the group that this process is in
    bool unified = false;  // version 2
};

// Where memory is controlled, of the texts of /proc/self/mountinfo and /proc/self/cgroup.
std::optional<Hierarchy> memory_hierarchy(std::string_view mounts, std::string_view groups);

// The group of one job. Its processes have to be gone before the object goes.
class MemoryGroup {
  public:
    MemoryGroup(std::string path, bool unified);
    ~MemoryGroup();
    MemoryGroup(const MemoryGroup &) = delete;
    MemoryGroup &operator=(const MemoryGroup &) = delete;

    // A process joins by writing "0" to it; -1: it cannot be opened.
    int entrance() const { return entrance_; }
    // True if processes had to be killed.
    bool exceeded() const;

  private:
    std::string path_;
    bool unified_;
    int entrance_;
};

class MemoryGroups {
  public:
    // Makes the group that the others will be in and gives it to that user; under version 2 the calling process moves
    // to a group beside them. To be called once, before the process has threads and before it becomes that user. Else
    // SandboxFailed. The directory stays when the process ends, and goes when another one calls this.
    Outcome<void> open(uid_t uid, gid_t gid);
    // "" until open() has succeeded.
    const std::string &path() const { return path_; }
    // Else SandboxFailed.
    Outcome<std::unique_ptr<MemoryGroup>> make(uint64_t bytes) const;

  private:
    std::string path_;
    bool unified_ = false;
};

}  // namespace tapir::server
