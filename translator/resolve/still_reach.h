// SPDX-License-Identifier: GPL-2.0-or-later
// The reach of scripts on a core file, a snapshot or a kernel's memory: they run in a process, and change nothing.
#pragma once

#include "resolve/reach.h"
#include "target/core_programs.h"

namespace tapir::resolve {

const Reach &still_reach(target::StillKind kind);

}  // namespace tapir::resolve
