// SPDX-License-Identifier: GPL-2.0-or-later
// Small helpers over the host's files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tapir::vm {

std::optional<std::string> read_file(const std::string &path);

// Creates or replaces `path` in one step: other processes see the old file or the whole new one. False with errno.
bool replace_file(const std::string &path, std::string_view bytes);

bool is_directory(const std::string &path);
bool is_file(const std::string &path);

// An exclusive lock between processes, held for the life of the object. Waits for it.
class FileLock {
  public:
    explicit FileLock(const std::string &path);
    ~FileLock();
    FileLock(const FileLock &) = delete;
    FileLock &operator=(const FileLock &) = delete;
    // False when the lock's file could not be made (errno says why).
    bool held() const { return fd_ >= 0; }

  private:
    int fd_;
};

}  // namespace tapir::vm
