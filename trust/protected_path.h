// SPDX-License-Identifier: GPL-2.0-or-later
// Files that nobody but their owner, in practice root, can have changed.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/outcome.h"

namespace tapir::trust {

struct Protection {
    uid_t owner = 0;
    std::string base = "/";  // this and what is below it is looked at (tests have their files elsewhere)
};

enum class Kind : unsigned char { File, Directory };

// Opens `path` for reading, for the caller to close, when it and every directory above it belong to the owner and can
// be written by nobody else. What is looked at is what is opened: links are resolved first, and then none is followed.
// The fault is PathMissing if the path does not exist, else PathUnsafe.
Outcome<int> open_protected(const std::string &path, Kind kind, const Protection &protection);

}  // namespace tapir::trust
