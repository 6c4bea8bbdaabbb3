// SPDX-License-Identifier: GPL-2.0-or-later
// ELF files with sections that zstd has compressed, which libelf cannot undo before its version 0.189.
#pragma once

#include <string>

namespace tapir::dwarf {

// A copy in memory in which these sections are not compressed: its descriptor, which the caller closes. -1 if there is
// nothing to do; with a reason in `problem` if it cannot be done.
int open_expanded(int fd, std::string &problem);

}  // namespace tapir::dwarf
