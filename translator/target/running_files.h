// SPDX-License-Identifier: GPL-2.0-or-later
// Files of running processes, even if they have been renamed since. A file that was deleted or replaced, or that never
// had a name (memfd_create), goes by the kernel's link to it, "/proc/PID/exe". Probes belong to the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

// Returns the program of a running process, as the process sees it; "" if the process does not exist, or may not be
// looked at.
std::string program_of_process(int64_t pid);

// The files with code that a process has mapped whose names, or whole paths if there is a slash in it, match a pattern.
// Sorted, each once.
std::vector<std::string> mapped_files(int64_t pid, std::string_view pattern);

// Does a name look like a build-id? In hexadecimal digits.
bool is_build_id(std::string_view name);

// The files with a build-id that are installed, by the links of debug packages, run now, or are along $PATH or where
// the dynamic linker looks, below a root (target/process_root.h); of the first of these where there is one.
std::vector<std::string> files_of_build_id(std::string_view id, const std::string &root);

// Returns the former path behind a link of the kernel to a file of a process: "/usr/sbin/nginx" for "/proc/12/exe";
// other paths as they are.
std::string former_path(const std::string &path);
// Returns the prefix here of paths of the process of such a link (target/process_root.h).
std::string root_of_link(const std::string &path);

}  // namespace tapir::target
