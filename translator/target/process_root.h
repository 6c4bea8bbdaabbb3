// SPDX-License-Identifier: GPL-2.0-or-later
// Files as a process sees them that lives in another mount namespace, or has another root directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::target {

// Returns the prefix of a process's paths here: "/proc/PID/root"; "" if it has our root, or if the process does not
// exist.
std::string root_of_process(int64_t pid);
// The root that a path begins with, as above, or "".
std::string root_of_path(std::string_view path);
bool is_same_file(const std::string &a, const std::string &b);
// Returns a regular file's path without symbolic links, which are followed as below the root. It begins with the root,
// unless the path means the same file here. A link of the kernel ("/proc/12/exe") to a file that its text no longer
// names stays as it is. "" if the path is not a regular file.
std::string canonical_file(const std::string &root, const std::string &path);

}  // namespace tapir::target
