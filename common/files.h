// SPDX-License-Identifier: GPL-2.0-or-later
// Small file operations that report failure as a value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir {

// Reads to the end, at most `limit` bytes. Returns 0 or errno (EFBIG beyond the limit); `content` has the part that was
// read.
int read_descriptor(int fd, size_t limit, std::string &content);
int read_file(const char *path, size_t limit, std::string &content);
// A whole file; nothing, with errno, when it cannot be read.
std::optional<std::string> read_file(const std::string &path);
// Writes everything, waiting for the reader where there is one. False with errno.
bool write_all(int fd, std::string_view bytes);
// Else FileUnwritable ("PATH: No space left on device"). Not atomic.
Outcome<void> write_file(const std::string &path, std::string_view bytes, unsigned mode = 0644);
// Creates or replaces `path` in one step: other processes see the old file or the whole new one. False with errno.
bool replace_file(const std::string &path, std::string_view bytes);

bool is_directory(const std::string &path);
bool is_file(const std::string &path);

// Where temporary files go: $TMPDIR, else /tmp.
std::string temporary_root();
// A fresh private directory PARENT/PREFIXxxxxxx, parents created; else FileUnwritable. A signal removes it
// (common/interruption.h) until a TemporaryDirectory of its path has released it.
Outcome<std::string> make_directory(const std::string &parent, const std::string &prefix);

// Removes a tree when it goes out of scope, unless released. A signal removes it, too: common/interruption.h.
class TemporaryDirectory {
  public:
    explicit TemporaryDirectory(std::string path);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory &) = delete;
    TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
    const std::string &path() const { return path_; }
    // It stays.
    void release();

  private:
    std::string path_;
};

// An exclusive lock between processes on a file (created when missing), held for the object's life. With `wait`, waits
// for other holders.
class FileLock {
  public:
    explicit FileLock(const std::string &path, bool wait = true);
    ~FileLock();
    FileLock(const FileLock &) = delete;
    FileLock &operator=(const FileLock &) = delete;
    // False when the file could not be made or locked (errno says why).
    bool held() const { return fd_ >= 0; }

  private:
    int fd_;
};

// Identifies a version of a file without reading it: resolved path, size, modification time. "" if the file is missing.
std::string file_identity(const std::string &path);

}  // namespace tapir
