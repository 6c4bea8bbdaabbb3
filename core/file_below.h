// SPDX-License-Identifier: GPL-2.0-or-later
// Files by names that somebody else has chosen.
#pragma once

#include <string>

#include "common/descriptor.h"

namespace tapir::core {

// Opens a regular file for reading by an absolute path, below a directory unless that is "": then no symbolic link on
// the way and no ".." leads out of the directory. Opens nothing else: neither devices nor pipes. None, with errno.
Descriptor open_below(const std::string &root, const std::string &path);

// The path of an open file as the kernel has it; `otherwise` where it does not say.
std::string path_of_descriptor(int fd, const std::string &otherwise);

}  // namespace tapir::core
