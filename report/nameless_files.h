// SPDX-License-Identifier: GPL-2.0-or-later
// Files whose functions have no names, and what has the names: said by the process that keeps its rights.
#pragma once

#include <string>
#include <vector>

namespace tapir::report {

struct NamelessFile {
    double percent = 0;    // of the width of all boxes
    std::string text;      // "in /usr/lib/libc.so.6", "in the kernel"
    std::string path;      // "" where there is no file
    std::string build_id;  // of the file that was traced, or ""
};

// A line from the process that reads the capture to the one that waits for it.
std::string nameless_line(const NamelessFile &file);

// A notice of each of such lines, of the first three at most: the package that has the names, as this machine's package
// manager knows, if the file here is of the build that was traced. The lines are not trusted: from what they say,
// nothing but the names of packages is looked up. No notice of a line that is damaged.
std::vector<std::string> nameless_notices(const std::string &lines);

}  // namespace tapir::report
