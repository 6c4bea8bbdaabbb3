// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a merge as a capture, of which stap-report makes pictures.
#pragma once

#include <string>

#include "common/outcome.h"
#include "merge/host_merge.h"

namespace tapir::merge {

// Writes the capture. `command`: that made it, as one would type it. Else FileUnwritable.
Outcome<void> write_capture(const Merge &merge, const std::string &command, int fd);

}  // namespace tapir::merge
