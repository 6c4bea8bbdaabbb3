// SPDX-License-Identifier: GPL-2.0-or-later
// Files that only their owner, in practice root, can have changed.
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

// Opens `path` for reading; the caller closes it. Only the owner may be able to write it or any directory above it, and
// all must belong to the owner. Resolves links first and then follows none, so the checked file is the opened one. The
// fault is PathMissing if the path does not exist, else PathUnsafe.
Outcome<int> open_protected(const std::string &path, Kind kind, const Protection &protection);

}  // namespace tapir::trust
