// SPDX-License-Identifier: GPL-2.0-or-later
// Files that somebody names: what has no end, or waits for somebody, is not read.
#pragma once

#include <cstddef>
#include <string>

namespace tapir {

constexpr size_t kMaxFile = size_t{1} << 30;   // bytes of a file that is read whole, unless a caller says less
constexpr size_t kMaxText = size_t{16} << 20;  // of a script, a tapset, a list of settings

// What errno says of a path that is no regular file: a pipe, a device, a socket. Directories are EISDIR.
extern const int kNotRegular;

// Opens a regular file for reading, without waiting for anybody and without effect on what is no file. -1 with errno.
int open_regular(const char *path);
// As open_regular(), and of pipes that are open already: /dev/stdin, /dev/fd/N, /proc/PID/fd/N. read_file() uses it.
int open_text(const char *path);

// "it is not a regular file", "it is too large", or what strerror() says.
std::string file_error(int error);

}  // namespace tapir
