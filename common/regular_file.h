// SPDX-License-Identifier: GPL-2.0-or-later
// Files that a user or a client names: does not read files without end, or files that wait.
#pragma once

#include <cstddef>
#include <string>

namespace tapir {

constexpr size_t kMaxFile = size_t{1} << 30;   // bytes of a file that is read whole, unless a caller says less
constexpr size_t kMaxText = size_t{16} << 20;  // of a script, a tapset, a list of settings

// The errno for a path of a pipe, device or socket. Directories get EISDIR.
extern const int kNotRegular;

// Opens a regular file for reading. Does not block, and has no effect on devices and pipes. -1 with errno.
int open_regular(const char *path);
// As open_regular(), and of pipes that are open already: /dev/stdin, /dev/fd/N, /proc/PID/fd/N. read_file() uses it.
int open_text(const char *path);

// "it is not a regular file", "it is too large", or what strerror() says.
std::string file_error(int error);

}  // namespace tapir
